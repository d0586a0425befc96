import type { Accuse, Stored, StoredRoom } from './law.ts'
import type { History } from './recorder.ts'

/** Unread counters, watermarks and the plan's message counters match the stored messages and acknowledged marks. */
export function checkCounters({ marks }: History, { rooms, counted }: Stored, accuse: Accuse): void {
  for (const room of rooms) for (const member of room.members) checkMember(room, member, accuse)
  for (const [userId, count] of sentBy(rooms)) {
    const planned = counted.get(userId) ?? 0
    if (planned !== count) accuse('miscounted', `${userId} sent ${count} messages, the plan counts ${planned}`)
  }
  const members = new Map(rooms.flatMap((room) => room.members.map((member) => [`${member.userId} ${room.id}`, member])))
  const known = new Map<string, { knownAt: number; highest: number }[]>()
  for (const { kind, userId, roomId, seq, askedAt, knownAt } of marks.toSorted((a, b) => a.knownAt - b.knownAt)) {
    const member = members.get(`${userId} ${roomId}`)
    const stands = kind === 'read' ? member?.readSeq : member?.deliveredSeq
    if (stands === undefined || stands < seq)
      accuse('lost', `${userId} marked ${seq} as ${kind} in ${roomId}; it stands at ${stands}`)
    const key = `${kind} ${userId} ${roomId}`
    const before = known.get(key) ?? []
    const earlier = askedAt === undefined ? 0 : (before.findLast((each) => each.knownAt < askedAt)?.highest ?? 0)
    known.set(key, before)
    before.push({ knownAt, highest: Math.max(before.at(-1)?.highest ?? 0, seq) })
    if (seq < earlier) accuse('lost', `${userId} marked ${earlier} as ${kind} in ${roomId}; it was shown at ${seq} later`)
  }
}

function checkMember(
  room: StoredRoom,
  { userId, readSeq, deliveredSeq, unreadCount }: StoredRoom['members'][number],
  accuse: Accuse,
) {
  const unread = room.entries.filter(
    ({ kind, seq, senderId }) => kind === 'message' && seq > readSeq && senderId !== userId,
  ).length
  if (unread !== unreadCount) accuse('miscounted', `${room.id}: ${userId} has ${unread} unread, the counter says ${unreadCount}`)
  if (readSeq > deliveredSeq || deliveredSeq > room.lastSeq) {
    accuse('miscounted', `${room.id}: ${userId} has read ${readSeq} and received ${deliveredSeq} of ${room.lastSeq}`)
  }
}

function sentBy(rooms: StoredRoom[]): Map<string, number> {
  const sent = new Map<string, number>()
  for (const { entries, members } of rooms) {
    for (const { userId } of members) sent.set(userId, sent.get(userId) ?? 0)
    for (const { kind, senderId } of entries) if (kind === 'message') sent.set(senderId, (sent.get(senderId) ?? 0) + 1)
  }
  return sent
}
