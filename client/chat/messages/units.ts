import { albumIn } from '../../../contract/chat/kinds/file.ts'
import { SAID } from '../../../contract/chat/saidlimits.ts'
import type { ShownMessage } from './store.ts'

/** Shown as one message; `album` has the pictures of one act by their place, at least two. */
interface Unit {
  message: ShownMessage
  album?: ShownMessage[]
  key: string
}

const ORDER: ShownMessage['status'][] = ['waiting', 'sending', 'sent', 'delivered', 'read']
const WRONG_OF_ANY = ['isOutOfPlace', 'isRemovedSince', 'isArchiveWrong'] as const

/** Joins pictures of one album that follow each other, and an own unsent one with the last of them. */
export function unitsOf(messages: ShownMessage[]): Unit[] {
  const units: { key: string; album: string | undefined; members: ShownMessage[] }[] = []
  const albums = new Map<string, (typeof units)[number]>()
  for (const message of messages) {
    const { id, isMine, seq, body } = message
    const who = isMine ? 'me' : 'them'
    const named = body.kind === 'file' && albumIn(body.file)
    const album = named ? `${who} album ${named.id}` : undefined
    const before = units.at(-1)
    const unit = album && (before?.album === album ? before : seq === null ? albums.get(album) : undefined)
    if (unit && unit.members.length < SAID.albumMax && !(saysWords(message) && unit.members.some(saysWords)))
      unit.members.push(message)
    else {
      // An older page may bring more pictures of others.
      const next = { key: isMine && album && !albums.has(album) ? album : `${who} ${id}`, album, members: [message] }
      if (album) albums.set(album, next)
      units.push(next)
    }
  }
  return units.map(({ key, members }) => ({ key, ...joined(members) }))
}

/** Unchanged albums keep their objects, so `memo` spares them a render. */
const known = new WeakMap<ShownMessage, { members: ShownMessage[]; unit: Omit<Unit, 'key'> }>()

function joined(members: ShownMessage[]): Omit<Unit, 'key'> {
  const [first] = members as [ShownMessage]
  if (members.length === 1) return { message: first }
  const before = known.get(first)
  if (before?.members.length === members.length && members.every((one, at) => one === before.members[at])) return before.unit
  const last = members.findLast(({ seq }) => seq !== null) ?? first
  const said = members.find(saysWords) ?? first
  const status = ORDER.find((one) => members.some((member) => member.status === one)) ?? first.status
  const flags = Object.fromEntries(WRONG_OF_ANY.map((flag) => [flag, members.some((member) => member[flag])]))
  const isOlder = members.every((member) => member.isOlder)
  const unit = {
    message: { ...last, id: said.id, body: said.body, status, ...flags, isOlder, reason: null },
    album: members.toSorted((a, b) => placeOf(a) - placeOf(b)),
  }
  known.set(first, { members, unit })
  return unit
}

const saysWords = ({ body }: ShownMessage): boolean => 'text' in body && body.text !== ''

const placeOf = ({ body }: ShownMessage): number => (body.kind === 'file' ? (body.file.album?.place ?? 0) : 0)
