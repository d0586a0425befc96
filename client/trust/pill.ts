import type { Mismatch } from '../crypto/crypto.ts'
import type { Person } from './people.ts'

/** Why nothing is sent, in two or three words. */
export const STOPPED: Record<Mismatch, string> = {
  key_changed: 'Key changed',
  name_changed: 'Username changed',
  key_conflict: 'Two keys known',
  name_taken: 'Username of somebody else',
  numbers_differ: 'Numbers differ',
  key_undecided: 'Key not confirmed',
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
  person: Pick<Person, 'mismatch' | 'isVerified' | 'onionAddress'>
  connection: 'open' | 'connecting' | 'offline'
  /** True if device lists of the members contradict each other. */
  isForked: boolean
  /** True if this browser is in the conversation's group. Before its first message a second browser only reads. */
  hasKeys: boolean
}

/** "Encrypted" appears only while it is true: connected, keys in place, and nothing in doubt. */
export function trustOf({ person, connection, isForked, hasKeys }: Known): Trust {
  const only = (tone: Trust['tone'], state: string): Trust => ({ tone, state, mark: '' })
  if (person.mismatch) return only('danger', STOPPED[person.mismatch])
  if (isForked) return only('danger', 'Two device lists')
  if (connection === 'offline') return only('wait', 'You are offline')
  if (connection === 'connecting') return only('wait', 'Connecting...')
  if (!person.onionAddress) return only('wait', 'No device yet')
  const mark = person.isVerified ? 'Verified' : 'Not verified'
  return { tone: person.isVerified ? 'ok' : 'plain', state: hasKeys ? 'Encrypted' : '', mark }
}
