# Functions of the scripts that make logs. Sourced; the folder for the log is $folder.
set -uo pipefail
folder=${1:?usage: scripts/real-logs/NAME FOLDER}

# Whatever was started ends with the script.
started=()
end_started() {
    [ ${#started[@]} -gt 0 ] && kill "${started[@]}" 2>/dev/null
    wait 2>/dev/null
}
trap end_started EXIT
trap 'exit 143' TERM INT

# need PROGRAM PACKAGE: ends with 69 where the program is missing
need() {
    PATH="$PATH:/usr/sbin:/sbin"
    if ! command -v "$1" >/dev/null; then
        echo "'$1' is not installed (Debian: $2)" >&2
        exit 69
    fi
}

# start COMMAND...: in the background, until the script ends; its pid is in $last
start() {
    "$@" &
    last=$!
    started+=("$last")
}

# free_port: a port of 127.0.0.1 on which nobody listens
free_port() {
    local port
    while :; do
        port=$((20000 + RANDOM % 20000))
        if ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
            echo "$port"
            return
        fi
    done
}

# wait_until COMMAND...: at most 20 seconds
wait_until() {
    local tries=0
    until "$@" 2>/dev/null; do
        tries=$((tries + 1))
        if [ "$tries" -ge 200 ]; then
            echo "waited in vain for: $*" >&2
            exit 1
        fi
        sleep 0.1
    done
}

# listens PORT
listens() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# talk PORT TEXT: sends a text, which printf expands, and reads until the other side closes, at most 10 seconds
talk() {
    exec 3<>"/dev/tcp/127.0.0.1/$1" || return 1
    # shellcheck disable=SC2059
    printf "$2" >&3
    timeout 10 cat <&3
    exec 3<&- 3>&-
}

# http PORT METHOD URL [HEADER...]: one request; the answer goes to standard output
http() {
    local port=$1 request="$2 $3 HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n" header
    shift 3
    for header in "$@"; do request+="$header\r\n"; done
    talk "$port" "$request\r\n"
}

# lines_of LOG COUNT: whether the log has as many lines
lines_of() { [ "$(wc -l <"$1")" -ge "$2" ]; }
