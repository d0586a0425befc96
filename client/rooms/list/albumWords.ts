import type { Content } from '../../../contract/chat/content.ts'
import { photosWords } from '../../../contract/chat/kinds/file.ts'
import { fileIn } from '../../../contract/chat/kinds/kinds.ts'
import { SAID } from '../../../contract/chat/saidlimits.ts'
import type { Env } from '../../env.ts'
import type { OutboxRow } from '../../worker/crypto.ts'

/** "4 photos": those of this one's album that came or wait. */
export async function albumWords(env: Env, chatRoomId: string, last: Content, outbox: OutboxRow[]): Promise<string> {
  const { messages } = await env.crypto.page({ chatRoomId, limit: SAID.albumMax })
  const stored = messages.map(({ body }) => (body.kind === 'content' ? body.content : null))
  const idOf = (content: Content | null | undefined) => fileIn(content)?.album?.id
  return photosWords([...stored, ...outbox.map((row) => row.content)].filter((one) => idOf(one) === idOf(last)).length)
}
