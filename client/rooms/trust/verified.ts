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

/** Returns the knowledge in the order of `people`. Of a deleted account only its names are left: no key could change. */
export async function knownOf(env: Env, people: Listed[]): Promise<KnownAccount[]> {
  const known = await env.crypto.compareAccounts(
    people.map(({ id, identityKey, listedUsername, isContact, isDeleted }) => ({
      userId: id,
      identityKey: isDeleted ? null : identityKey,
      username: listedUsername,
      ...(isContact !== undefined && !isDeleted && { isContact }),
    })),
  )
  return people.map(({ isDeleted }, at) => {
    const { alias = null, username = null } = known[at] ?? {}
    return isDeleted ? { ...UNKNOWN, alias, username } : (known[at] ?? UNKNOWN)
  })
}

export const shownOf = (known: KnownAccount, { listedUsername }: Pick<Person, 'listedUsername'>) => ({
  isVerified: known.isVerified && known.mismatch === null,
  comparedAt: known.mismatch === null ? known.comparedAt : null,
  isByCode: known.isByCode,
  username: known.username ?? listedUsername,
  alias: known.alias,
  isByAddress: known.isByAddress,
  choices: known.choices,
})

export async function reloadVerified(env: Env): Promise<void> {
  const people = [...peopleStore.getState().people.values()]
  for (const [at, known] of (await knownOf(env, people)).entries()) {
    const person = people[at]
    if (person) changePerson(person.id, shownOf(known, person))
  }
}

/** Trusts a key and a name; a new key restarts the shared rooms. A key that the server has changed since remains a mismatch. */
export async function acceptChange(
  env: Env,
  { id, identityKey, listedUsername }: Listed,
  chosen: { identityKey: string | null; username: string } = { identityKey, username: listedUsername },
): Promise<void> {
  if (!chosen.identityKey) return
  await env.crypto.trustKey({ userId: id, identityKey: chosen.identityKey, username: chosen.username })
  await showDecision(env, id)
  // Without a connection the other browsers learn of the change by the next sync.
  await saveBook(env).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error
  })
}

/** A decision about a person holds in all tabs of this browser. */
const TABS = 'conclave/decisions'

export async function showDecision(env: Env, userId: string): Promise<void> {
  await reloadMismatch(env, userId)
  await reloadVerified(env)
  const tabs = new BroadcastChannel(TABS)
  tabs.postMessage(userId)
  tabs.close()
}

export function watchDecisions(env: Env, report: (work: Promise<unknown>) => void): () => void {
  const tabs = new BroadcastChannel(TABS)
  tabs.onmessage = ({ data }: MessageEvent<string>) => report(reloadMismatch(env, data).then(() => reloadVerified(env)))
  return () => tabs.close()
}

async function reloadMismatch(env: Env, userId: string): Promise<void> {
  const now = peopleStore.getState().people.get(userId)
  const [known = UNKNOWN] = now ? await knownOf(env, [now]) : []
  changePerson(userId, { mismatch: known.mismatch })
}
