/// The part of a ``ClockHandQueue``'s log that the hand may walk through while evictions are put off.
///
/// It begins at the hand and has one object without a mark more than the evictions that may be put off. So the hand, when
/// it makes up for them, ends within the stretch and before the newest object, as it would have without delay; and a
/// request for an object outside cannot change what the hand meets, nor find it evicted. For one inside, the objects without a
/// mark before it are counted: if there are fewer of them than evictions so far, the hand would have passed it. Then a marked
/// object keeps its mark, and one without is gone, and its request waits until the hand has caught up. Where the hand is near
/// the head the stretch has no end, because each newcomer gives the hand one object more.
@frozen
public struct HandZone: BitwiseCopyable {
    /// Where the hand is.
    @usableFromInline var hand: UInt32
    /// The number of positions from the hand on.
    @usableFromInline var length: UInt32
    /// How many more evictions may be put off; none if the hand is at the newest object or has mostly marked ones before it.
    @usableFromInline var budget: Int
    /// How many of its objects without a mark may be marked: those that no eviction needs.
    @usableFromInline var spare: Int
    /// How many evictions are put off.
    @usableFromInline var debt = 0

    @inlinable
    init(hand: UInt32, length: UInt32, budget: Int, spare: Int) {
        self.hand = hand
        self.length = length
        self.budget = budget
        self.spare = spare
    }
}
