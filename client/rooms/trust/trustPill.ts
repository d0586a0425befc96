import { connectingWords } from '../../net/onion.ts'
import type { Person } from './people.ts'
import type { Stop } from './refusedList.ts'

export const STOPPED: Record<Stop, string> = {
  key_changed: 'Key changed',
  name_changed: 'Username changed',
  key_conflict: 'Two keys known',
  name_taken: 'Username of somebody else',
  numbers_differ: 'Numbers differ',
  key_undecided: 'Key not confirmed',
  list_unsigned: 'Device list not signed',
  list_older: 'Older device list',
  list_contradicts: 'Device list contradicts',
  list_absent: 'No device list shown',
  list_older_elsewhere: 'Older device list',
  list_differs_elsewhere: 'Device list differs',
}

/** What stands before an onion address: where sending is stopped, nothing is called encrypted. */
export const addressWords = (mismatch: Stop | null): string =>
  mismatch === null
    ? 'Messages are end-to-end encrypted via onion address:'
    : mismatch === 'key_changed'
      ? 'The server now names another onion address:'
      : 'The onion address of this account:'

interface Stops {
  /** Device lists of members contradict each other. */
  isForked: boolean
  /** The server shows another state than the account knows. */
  asksRestart: boolean
  /** This browser has no address book and sends nothing. */
  isBookLost?: boolean
}

export function stopOf({ mismatch }: Pick<Person, 'mismatch'>, stops: Stops): string | undefined {
  if (mismatch) return STOPPED[mismatch]
  if (stops.isForked) return 'Two device lists'
  if (stops.asksRestart) return 'Chat state differs'
  return stops.isBookLost ? 'Address book lost' : undefined
}

export interface Trust {
  tone: 'plain' | 'ok' | 'danger' | 'wait'
  /** Empty before this browser has sealed anything here. */
  state: string
  mark: string
}

interface Known {
  person: Pick<Person, 'isVerified' | 'identityKey'>
  connection: 'open' | 'connecting' | 'offline'
  stop: string | undefined
  isLocked: boolean
  /** False for a second browser before its first message: that browser only reads. */
  hasKeys: boolean
}

/** "Encrypted" appears only with a connection, with keys and without a stop. */
export function trustOf({ person, connection, stop, isLocked, hasKeys }: Known): Trust {
  const only = (tone: Trust['tone'], state: string): Trust => ({ tone, state, mark: '' })
  if (stop) return only('danger', stop)
  if (connection === 'offline') return only('wait', 'You are offline')
  if (connection === 'connecting') return only('wait', connectingWords())
  if (isLocked) return only('plain', 'Locked')
  if (!person.identityKey) return only('wait', 'No device yet')
  const mark = person.isVerified ? 'Verified' : 'Not verified'
  return { tone: person.isVerified ? 'ok' : 'plain', state: hasKeys ? 'Encrypted' : '', mark }
}
