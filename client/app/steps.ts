import { personOfDirect } from '../rooms/list/members.ts'
import { isAwaited, isDirect, isFollowed } from '../rooms/list/room.ts'
import type { RoomRow } from '../rooms/list/roomList.ts'
import type { Person } from '../rooms/trust/people.ts'

interface Step {
  id: 'kit' | 'contact' | 'verify'
  title: string
  text: string
  isDone: boolean
  /** undefined: there is no such screen yet, or the button above leads there. */
  href?: string
  /** The room whose contact panel opens there. */
  detailsOf?: string
}

interface Known {
  hasKit: boolean
  /** True if a kit was shown here and its words were never checked. */
  hasUncheckedKit?: boolean
  rooms: RoomRow[]
  people: ReadonlyMap<string, Person>
}

/** The three steps of the first day, in their order. */
export function firstSteps({ hasKit, hasUncheckedKit = false, rooms, people }: Known): Step[] {
  const contacts = rooms.filter((room) => isDirect(room) && isFollowed(room))
  const first = contacts.find((room) => !isAwaited(room)) ?? contacts[0]
  const asked = first && isAwaited(first) ? personOfDirect(first, people) : undefined
  const isVerified = contacts.some((room) => personOfDirect(room, people)?.isVerified)
  const [unverified] = contacts.filter((room) => {
    const person = personOfDirect(room, people)
    return person?.identityKey && !person.isVerified && !person.isDeleted && !person.mismatch
  })
  return [
    {
      id: 'kit',
      title: hasKit ? 'Recovery kit made' : 'Make your recovery kit',
      text: hasUncheckedKit
        ? 'The one that you were shown was never checked, so it does not count.'
        : 'The only way back in without a password.',
      isDone: hasKit,
      href: '/settings?tab=security#kit',
    },
    {
      id: 'contact',
      title: asked ? 'Request sent' : contacts.length > 0 ? 'First contact added' : 'Add your first contact',
      text: asked ? `@${asked.username} has not answered yet.` : 'One name is enough. No phone number, no email.',
      isDone: contacts.length > 0,
    },
    {
      id: 'verify',
      title: isVerified ? 'Somebody verified' : 'Verify someone',
      text: 'Compare one safety number, so that nobody stands between you.',
      isDone: isVerified,
      ...(unverified && { href: `/chat/${unverified.id}`, detailsOf: unverified.id }),
    },
  ]
}
