import type { KnownAccount } from '../crypto/crypto.ts'
import type { Env } from '../env.ts'
import { changePerson, type Person, peopleStore } from './people.ts'

type Listed = Pick<Person, 'id' | 'identityKey' | 'listedUsername' | 'isDeleted'> & { isContact?: boolean }

const UNKNOWN: KnownAccount = { isVerified: false, username: null, mismatch: null, isByAddress: false, choices: null }

/**
 * What this account knows of these people, in their order: the mark of the key that the server shows, the pinned name, what differs.
 * An account that is gone has no key and no name that could change.
 */
export async function knownOf(env: Env, people: Listed[]): Promise<KnownAccount[]> {
  const living = people.filter(({ isDeleted }) => !isDeleted)
  const known = await env.crypto.compareAccounts(
    living.map(({ id, identityKey, listedUsername, isContact }) => ({
      userId: id,
      identityKey,
      username: listedUsername,
      ...(isContact !== undefined && { isContact }),
    })),
  )
  const byId = new Map(living.map(({ id }, at) => [id, known[at]]))
  return people.map(({ id }) => byId.get(id) ?? UNKNOWN)
}

/** What a person's screen shows of what this account knows. */
export const shownOf = (known: KnownAccount, { listedUsername }: Pick<Person, 'listedUsername'>) => ({
  isVerified: known.isVerified && known.mismatch === null,
  username: known.username ?? listedUsername,
  isByAddress: known.isByAddress,
  choices: known.choices,
})

/** Reads all marks and names again: one was set or taken away here, or the book brought another browser's. */
export async function reloadVerified(env: Env): Promise<void> {
  const people = [...peopleStore.getState().people.values()]
  for (const [at, known] of (await knownOf(env, people)).entries()) {
    const person = people[at]
    if (person) changePerson(person.id, shownOf(known, person))
  }
}

/**
 * The own person decided for a key and a name: those that they compared, or of two that two browsers knew the `chosen` one. Under
 * another key the rooms with them begin anew. If the server shows yet another key by now, that one stays a change.
 */
export async function acceptChange(
  env: Env,
  { id, identityKey, listedUsername }: Listed,
  chosen: { identityKey: string | null; username: string } = { identityKey, username: listedUsername },
): Promise<void> {
  if (!chosen.identityKey) return
  await env.crypto.trustKey({ userId: id, identityKey: chosen.identityKey, username: chosen.username })
  const now = peopleStore.getState().people.get(id)
  const [known = UNKNOWN] = now ? await knownOf(env, [now]) : []
  changePerson(id, { mismatch: known.mismatch })
  await reloadVerified(env)
}
