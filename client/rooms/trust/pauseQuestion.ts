import type { Env } from '../../env.ts'

/** Time before the server is asked again for a version that it did not have. */
const ASK_AGAIN_MS = 60_000

/**
 * Time of the last request by question for which the server had no answer. Messages and servers can claim any version, so this
 * limits requests.
 */
const unansweredAt = new Map<string, number>()

/** Pauses a question that the server could not answer. */
export const pauseQuestion = (env: Env, question: string): void => void unansweredAt.set(question, env.clock().getTime())

/** True for a minute after `pauseQuestion`. */
export const isPaused = (env: Env, question: string): boolean =>
  env.clock().getTime() - (unansweredAt.get(question) ?? Number.NEGATIVE_INFINITY) < ASK_AGAIN_MS

/** Pauses the question if this device's version of the account's manifest is still older than `version`. */
export async function pauseIfOlder(env: Env, question: string, userId: string, version: number): Promise<void> {
  if ((await env.crypto.manifestVersion(userId)) < version) pauseQuestion(env, question)
}
