import type { Env } from '../../env.ts'

const ASK_AGAIN_MS = 60_000

/** Messages and servers can claim any version, so the pause limits requests. */
const unansweredAt = new Map<string, number>()

export const pauseQuestion = (env: Env, question: string): void => void unansweredAt.set(question, env.clock().getTime())

export const isPaused = (env: Env, question: string): boolean =>
  env.clock().getTime() - (unansweredAt.get(question) ?? Number.NEGATIVE_INFINITY) < ASK_AGAIN_MS

export async function pauseIfOlder(env: Env, question: string, userId: string, version: number): Promise<void> {
  if ((await env.crypto.manifestVersion(userId)) < version) pauseQuestion(env, question)
}
