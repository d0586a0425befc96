import type { Env } from '../env.ts'

/** For how long the server is not asked again for a manifest that it did not have. */
const ASK_AGAIN_MS = 60_000

/** When a question was asked in vain. Anybody may name any version in a message, and a server any in a contact list. */
const askedInVain = new Map<string, number>()

export const noteInVain = (env: Env, question: string): void => void askedInVain.set(question, env.clock().getTime())

export const isAskedInVain = (env: Env, question: string): boolean =>
  env.clock().getTime() - (askedInVain.get(question) ?? Number.NEGATIVE_INFINITY) < ASK_AGAIN_MS

export async function noteAnswer(env: Env, question: string, userId: string, wanted: number): Promise<void> {
  const { version } = await env.crypto.peerStanding({ userId, identityKey: null })
  if (version < wanted) noteInVain(env, question)
}
