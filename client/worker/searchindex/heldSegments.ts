import type { Vault } from '../vault/vault.ts'
import { readSegment, type Segment, type SegmentMark } from './segments.ts'

/** UTF-16 units. */
const HELD_UNITS = 16_000_000

type Numbered = Pick<SegmentMark, 'number' | 'version'>

interface Held {
  units: number
  rooms: Map<string, Map<number, Segment>>
}

const memory = new WeakMap<Vault, Held>()

function heldBy(vault: Vault): Held {
  const known = memory.get(vault) ?? { units: 0, rooms: new Map() }
  memory.set(vault, known)
  return known
}

export const segmentKey = (chatRoomId: string, number: number) => `search:${chatRoomId}:${number}`

export async function openSegment(vault: Vault, chatRoomId: string, mark: Numbered): Promise<Segment> {
  const known = heldBy(vault).rooms.get(chatRoomId)?.get(mark.number)
  if (known?.version === mark.version) return known
  return readSegment(mark, (await vault.get('sealed', segmentKey(chatRoomId, mark.number))) ?? { json: null })
}

/** Keeps a segment unless memory is full of newer ones. */
export function holdSegment(vault: Vault, chatRoomId: string, segment: Segment): void {
  const held = heldBy(vault)
  const room = held.rooms.get(chatRoomId) ?? new Map<number, Segment>()
  if (room.get(segment.number) === segment) return
  letGo(held, chatRoomId, segment.number)
  const isPlaced = segment.text.length <= HELD_UNITS && makePlace(held, segment)
  if (!isPlaced) return
  held.rooms.set(chatRoomId, room.set(segment.number, segment))
  held.units += segment.text.length
}

function makePlace(held: Held, { text, newestAt }: Segment): boolean {
  while (held.units + text.length > HELD_UNITS) {
    const all = [...held.rooms].flatMap(([chatRoomId, room]) => [...room.values()].map((segment) => ({ chatRoomId, segment })))
    const oldest = all.reduce((a, b) => (b.segment.newestAt < a.segment.newestAt ? b : a))
    if (oldest.segment.newestAt >= newestAt) return false
    letGo(held, oldest.chatRoomId, oldest.segment.number)
  }
  return true
}

export function renewHeld(vault: Vault, chatRoomId: string, segment: Segment): void {
  if (heldBy(vault).rooms.get(chatRoomId)?.has(segment.number)) holdSegment(vault, chatRoomId, segment)
}

export function forgetSegments(vault: Vault, chatRoomId: string, but: Numbered[] = []): void {
  const held = heldBy(vault)
  for (const number of held.rooms.get(chatRoomId)?.keys() ?? [])
    if (but.every((mark) => mark.number !== number)) letGo(held, chatRoomId, number)
}

function letGo(held: Held, chatRoomId: string, number: number): void {
  const room = held.rooms.get(chatRoomId)
  held.units -= room?.get(number)?.text.length ?? 0
  room?.delete(number)
  if (room?.size === 0) held.rooms.delete(chatRoomId)
}
