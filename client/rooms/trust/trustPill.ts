import type { Mismatch } from '../../worker/crypto.ts'
import type { Person } from './people.ts'

/** Why nothing is sent to a person, in two or three words. */
export const STOPPED: Record<Mismatch, string> = {
  key_changed: 'Key changed',
  name_changed: 'Username changed',
  key_conflict: 'Two keys known',
  name_taken: 'Username of somebody else',
  numbers_differ: 'Numbers differ',
  key_undecided: 'Key not confirmed',
}

/** What else stops a conversation until the own person decides. */
interface Stops {
  /** Device lists of its members contradict each other. */
  isForked: boolean
  /** The server shows another state of it than this account knows. */
  asksRestart: boolean
  /** This browser has no address book, and sends nothing anywhere. */
  isBookLost?: boolean
}

/** Why nothing is sent in a conversation, in two or three words; undefined if messages go out. */
export function stopOf({ mismatch }: Pick<Person, 'mismatch'>, stops: Stops): string | undefined {
  if (mismatch) return STOPPED[mismatch]
  if (stops.isForked) return 'Two device lists'
  if (stops.asksRestart) return 'Chat state differs'
  return stops.isBookLost ? 'Address book lost' : undefined
}

/** The one statement about trust in the header of a conversation. */
export interface Trust {
  tone: 'plain' | 'ok' | 'danger' | 'wait'
  /** What holds at this moment: "Encrypted"; empty before this browser has sealed anything here. */
  state: string
  /** "Verified", "Not verified"; empty where the state says it all. */
  mark: string
}

interface Known {
  person: Pick<Person, 'isVerified' | 'onionAddress'>
  connection: 'open' | 'connecting' | 'offline'
  /** What `stopOf` says. */
  stop: string | undefined
  /** True if the conversation is locked in this browser. */
  isLocked: boolean
  /** True if this browser is in the conversation's group. Before its first message a second browser only reads. */
  hasKeys: boolean
}

/** "Encrypted" appears only while it is true: connected, keys in place, and nothing that stops sending. */
export function trustOf({ person, connection, stop, isLocked, hasKeys }: Known): Trust {
  const only = (tone: Trust['tone'], state: string): Trust => ({ tone, state, mark: '' })
  if (stop) return only('danger', stop)
  if (connection === 'offline') return only('wait', 'You are offline')
  if (connection === 'connecting') return only('wait', 'Connecting...')
  if (isLocked) return only('plain', 'Locked')
  if (!person.onionAddress) return only('wait', 'No device yet')
  const mark = person.isVerified ? 'Verified' : 'Not verified'
  return { tone: person.isVerified ? 'ok' : 'plain', state: hasKeys ? 'Encrypted' : '', mark }
}
