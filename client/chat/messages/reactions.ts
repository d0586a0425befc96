import { SAID } from '../../../contract/chat/saidlimits.ts'
import type { Env } from '../../env.ts'
import type { Room } from '../../rooms/list/room.ts'
import { nameOf, type Person } from '../../rooms/trust/people.ts'
import { sendAct } from './acts.ts'
import type { SendOutcome } from './outbox.ts'
import type { ShownMessage } from './store.ts'

/** The first is that of a double click. */
export const QUICK: { emoji: string; name: string }[] = [
  { emoji: '👍', name: 'thumbs up' },
  { emoji: '❤️', name: 'heart' },
  { emoji: '😄', name: 'laughing' },
  { emoji: '😮', name: 'surprised' },
  { emoji: '😢', name: 'sad' },
  { emoji: '🙏', name: 'thanks' },
]

const reactable: ShownMessage['body']['kind'][] = ['text', 'file', 'transfer', 'once']

/** True for what a signature proves and the server has. */
export const canReact = ({ senderId, body }: ShownMessage): boolean => senderId !== undefined && reactable.includes(body.kind)

export const ownReactions = ({ reactions = [] }: ShownMessage, ownId: string): string[] =>
  reactions.filter(({ userIds }) => userIds.includes(ownId)).map(({ emoji }) => emoji)

/** "You and Bob" */
export function namesOf(userIds: string[], ownId: string | undefined, people: ReadonlyMap<string, Person>): string {
  const others = userIds.filter((id) => id !== ownId).map((id) => people.get(id))
  const names = others.map((person) => (person ? nameOf(person) : 'Somebody'))
  return [...(userIds.length > others.length ? ['You'] : []), ...names].join(' and ')
}

/** Gives a reaction, or takes it back. Of more than a message can have of one person the first goes. */
export async function react(env: Env, room: Room, message: ShownMessage, emoji: string): Promise<SendOutcome> {
  const { senderId, id } = message
  if (senderId === undefined) return { outcome: 'kept' }
  const before = ownReactions(message, room.ownId)
  const isGiven = before.includes(emoji)
  const emojis = isGiven ? before.filter((one) => one !== emoji) : [...before, emoji].slice(-SAID.reactionsMax)
  return sendAct(env, room, { type: 'reaction', target: { senderId, id }, emojis })
}
