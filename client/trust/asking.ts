import type { Env } from '../env.ts'

/** For how long the server is not asked again for a version that it did not have. */
const ASK_AGAIN_MS = 60_000

/** When the server last had no answer to a question. Anybody may name any version in a message, and a server any in a list. */
const unansweredAt = new Map<string, number>()

/** Pauses a question to which the server had no answer. */
export const pauseQuestion = (env: Env, question: string): void => void unansweredAt.set(question, env.clock().getTime())

/** True for a minute after that. */
export const isPaused = (env: Env, question: string): boolean =>
  env.clock().getTime() - (unansweredAt.get(question) ?? Number.NEGATIVE_INFINITY) < ASK_AGAIN_MS

/** Pauses the question where this device still does not have that version of the account's manifest. */
export async function pauseIfOlder(env: Env, question: string, userId: string, version: number): Promise<void> {
  if ((await env.crypto.manifestVersion(userId)) < version) pauseQuestion(env, question)
}
