#if Servers
    import NIOCore

    /// A command with its arguments, as bytes.
    struct RedisCommand: Sendable {
        let words: [[UInt8]]

        /// A command whose words are all text.
        init(_ words: String...) { self.init(words) }

        /// A command whose words are all text.
        init(_ words: [String]) { self.words = words.map { Array($0.utf8) } }

        /// A command on a key, with a value and options behind it.
        init(_ name: String, key: [UInt8], value: [UInt8]? = nil, options: [String] = []) {
            words = [Array(name.utf8), key] + (value.map { [$0] } ?? []) + options.map { Array($0.utf8) }
        }

        /// Appends the command as an array of bulk strings.
        func write(to buffer: inout ByteBuffer) {
            buffer.reserveCapacity(minimumWritableBytes: words.reduce(16) { $0 + $1.count + 16 })
            buffer.writeString("*\(words.count)\r\n")
            for word in words {
                buffer.writeString("$\(word.count)\r\n")
                buffer.writeBytes(word)
                buffer.writeString("\r\n")
            }
        }

        /// Commands one behind the other.
        static func encoded(_ commands: [RedisCommand]) -> ByteBuffer {
            var buffer = ByteBuffer()
            for command in commands { command.write(to: &buffer) }
            return buffer
        }
    }
#endif
