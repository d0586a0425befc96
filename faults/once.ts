import { randomUUID } from 'node:crypto'
import type { Pair } from '../bench/seed.ts'
import { ask } from './ask.ts'
import { decisionOf } from './decisions.ts'
import { digestOf, type History, now } from './recorder.ts'

/** Sends one plain text message without retries. Returns the HTTP status; 0 if no answer came. */
export async function postOnce(port: number, { sender, chatRoomId }: Pair, chars: number, history: History): Promise<number> {
  const id = randomUUID()
  const content = `${id} ${'x'.repeat(chars)}`
  const what = { kind: 'message' as const, roomId: chatRoomId, id, senderId: sender.id, digest: digestOf(content) }
  const startedAt = now()
  const body = { id, chatRoomId, content, messageType: 'text' }
  const answer = await ask(port, { method: 'POST', path: '/api/messages', cookie: sender.cookie, body })
  history.attempts.push({ ...what, startedAt, endedAt: now(), ...decisionOf(answer) })
  return answer?.status ?? 0
}
