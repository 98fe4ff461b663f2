/// The name that a person most likely meant, if one is close.
///
/// Compares by Damerau-Levenshtein distance and by prefix; a candidate counts as close when at most a third of its
/// letters (at least one, at most three) differ. O(total length of the candidates × length of the name).
public func nearestName(to name: String, among candidates: [String]) -> String? {
    let wanted = Array(name.lowercased())
    var best: (distance: Int, name: String)?
    for candidate in candidates {
        let letters = Array(candidate.lowercased())
        var distance = editDistance(wanted, letters)
        if wanted.count >= 2, letters.starts(with: wanted) { distance = 1 }
        let allowed = max(1, min(3, max(letters.count, wanted.count) / 3))
        if distance <= allowed, distance < best?.distance ?? .max { best = (distance, candidate) }
    }
    return best?.name
}

private func editDistance(_ a: [Character], _ b: [Character]) -> Int {
    var rows = [[Int]](repeating: [Int](repeating: 0, count: b.count + 1), count: a.count + 1)
    for i in 0...a.count { rows[i][0] = i }
    for j in 0...b.count { rows[0][j] = j }
    guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
    for i in 1...a.count {
        for j in 1...b.count {
            let change = rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)
            rows[i][j] = min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, change)
            if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
                rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1)
            }
        }
    }
    return rows[a.count][b.count]
}
