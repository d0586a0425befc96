import { messageShape } from '../contract/chat/messages.ts'
import { roomsApi } from '../contract/chat/rooms.ts'
import type { Answer } from './ask.ts'
import { entryOfMessage } from './entries.ts'

/** The server's decision on a message or commit; `unknown` if it may or may not be stored. */
export type Decision =
  | { outcome: 'acknowledged'; seq: number; answered: string }
  | { outcome: 'refused'; code: string }
  | { outcome: 'unknown'; code: string }

/** True if the refusal means that nothing was stored. A busy or broken server does not decide that. */
export const isDecided = (code: string): boolean => code !== 'unavailable' && code !== 'internal' && code !== 'unnamed'

/** The decision on a message sent by HTTP. After a 5xx the message may or may not be stored. */
export const decisionOf = (answer: Answer | undefined): Decision =>
  decide(answer, (body) => {
    const { seq, digest } = entryOfMessage(messageShape.parse(body))
    return { seq, answered: digest }
  })

/** The decision on a commit with this digest. */
export const decisionOfCommit = (answer: Answer | undefined, digest: string): Decision =>
  decide(answer, (body) => ({ seq: roomsApi.commit.output.parse(body).seq, answered: digest }))

function decide(answer: Answer | undefined, read: (body: unknown) => { seq: number; answered: string }): Decision {
  if (!answer) return { outcome: 'unknown', code: 'broken' }
  if (answer.status === 200) return { outcome: 'acknowledged', ...read(answer.body) }
  const code = codeOf(answer.body)
  return { outcome: answer.status < 500 && isDecided(code) ? 'refused' : 'unknown', code }
}

export const codeOf = (body: unknown): string =>
  typeof body === 'object' && body && 'code' in body && typeof body.code === 'string' ? body.code : 'unnamed'
