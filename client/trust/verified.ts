import type { Env } from '../env.ts'
import { changePerson, type Person, peopleStore } from './people.ts'

/**
 * The people among these whose safety number was compared, by account id. The mark belongs to the key: where the server names
 * another one, it is not shown [Note: I1].
 */
export async function verifiedAmong(
  env: Env,
  people: Pick<Person, 'id' | 'identityKey' | 'isDeleted'>[],
): Promise<ReadonlySet<string>> {
  const marked = new Set(await env.crypto.verifiedUsers())
  const verified = people
    .filter(({ id, isDeleted }) => marked.has(id) && !isDeleted)
    .map(async ({ id, identityKey }) => {
      const { isPinned } = await env.crypto.peerStanding({ userId: id, identityKey })
      return isPinned ? [id] : []
    })
  return new Set((await Promise.all(verified)).flat())
}

/** Reads all marks again: one was set or taken away here, or the book brought another browser's. */
export async function reloadVerified(env: Env): Promise<void> {
  const verified = await verifiedAmong(env, [...peopleStore.getState().people.values()])
  for (const { id } of peopleStore.getState().people.values()) changePerson(id, { isVerified: verified.has(id) })
}

/** The own person decided for somebody's new key: rooms with them begin anew under it. */
export async function acceptNewKey(env: Env, { id, identityKey }: Pick<Person, 'id' | 'identityKey'>): Promise<void> {
  if (!identityKey) return
  await env.crypto.trustKey({ userId: id, identityKey })
  changePerson(id, { keyChanged: false })
  await reloadVerified(env)
}
