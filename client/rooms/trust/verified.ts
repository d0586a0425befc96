import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import type { KnownAccount } from '../../worker/crypto.ts'
import { saveBook } from './book.ts'
import { changePerson, type Person, peopleStore } from './people.ts'

type Listed = Pick<Person, 'id' | 'identityKey' | 'listedUsername' | 'isDeleted'> & { isContact?: boolean }

const UNKNOWN: KnownAccount = {
  ...{ isVerified: false, comparedAt: null, isByCode: false, username: null, mismatch: null },
  ...{ alias: null, isByAddress: false, choices: null },
}

/**
 * Returns this account's knowledge of these people, in the same order: whether the shown key is verified, the pinned name, the
 * mismatch. A deleted account has no key or name that could change.
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

/** The parts of `known` that a person's screen shows. */
export const shownOf = (known: KnownAccount, { listedUsername }: Pick<Person, 'listedUsername'>) => ({
  isVerified: known.isVerified && known.mismatch === null,
  comparedAt: known.mismatch === null ? known.comparedAt : null,
  isByCode: known.isByCode,
  username: known.username ?? listedUsername,
  alias: known.alias,
  isByAddress: known.isByAddress,
  choices: known.choices,
})

/** Reloads all marks and names after a change here or in the book. */
export async function reloadVerified(env: Env): Promise<void> {
  const people = [...peopleStore.getState().people.values()]
  for (const [at, known] of (await knownOf(env, people)).entries()) {
    const person = people[at]
    if (person) changePerson(person.id, shownOf(known, person))
  }
}

/**
 * Trusts a key and a name: the compared ones, or the `chosen` of two that two browsers knew. With another key the rooms with this
 * person restart. If the server shows a different key by now, that remains a mismatch.
 */
export async function acceptChange(
  env: Env,
  { id, identityKey, listedUsername }: Listed,
  chosen: { identityKey: string | null; username: string } = { identityKey, username: listedUsername },
): Promise<void> {
  if (!chosen.identityKey) return
  await env.crypto.trustKey({ userId: id, identityKey: chosen.identityKey, username: chosen.username })
  await showDecision(env, id)
  // The account's other browsers stop asking as well; without a connection they learn of it with the next sync.
  await saveBook(env).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error
  })
}

/** Channel that makes the other tabs of this browser read the marks anew: a decision about a person holds in all of them at once. */
const TABS = 'conclave/decisions'

/** Shows a decision about a person here and in the other tabs of this browser. */
export async function showDecision(env: Env, userId: string): Promise<void> {
  await reloadMismatch(env, userId)
  await reloadVerified(env)
  const tabs = new BroadcastChannel(TABS)
  tabs.postMessage(userId)
  tabs.close()
}

/** Follows decisions about people that are taken in other tabs of this browser. Returns how to stop. */
export function watchDecisions(env: Env, report: (work: Promise<unknown>) => void): () => void {
  const tabs = new BroadcastChannel(TABS)
  tabs.onmessage = ({ data }: MessageEvent<string>) => report(reloadMismatch(env, data).then(() => reloadVerified(env)))
  return () => tabs.close()
}

/** Shows whether a person still differs from the pin after a decision. */
async function reloadMismatch(env: Env, userId: string): Promise<void> {
  const now = peopleStore.getState().people.get(userId)
  const [known = UNKNOWN] = now ? await knownOf(env, [now]) : []
  changePerson(userId, { mismatch: known.mismatch })
}
