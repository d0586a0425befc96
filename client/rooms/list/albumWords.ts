import type { Act, Content } from '../../../contract/chat/content.ts'
import { albumIn, photosWords } from '../../../contract/chat/kinds/file.ts'
import { fileIn } from '../../../contract/chat/kinds/kinds.ts'
import { SAID } from '../../../contract/chat/saidlimits.ts'
import type { Env } from '../../env.ts'
import type { OutboxRow } from '../../worker/crypto.ts'
import type { Room } from './room.ts'

/** "4 photos" */
export async function albumWords(
  env: Env,
  { id: chatRoomId, ownId }: Room,
  last: Content,
  senderId: string | undefined,
  outbox: OutboxRow[],
): Promise<string> {
  const { messages } = await env.crypto.page({ chatRoomId, limit: SAID.albumMax })
  const stored = messages
    .filter((message) => message.senderId === senderId)
    .map(({ id, body }) => ({ id, content: body.kind === 'content' ? body.content : null }))
  const albumOf = (content: Content | Act | null) => albumIn(fileIn(content))?.id
  const pictures = [...stored, ...(senderId === ownId ? outbox : [])].filter(({ content }) => albumOf(content) === albumOf(last))
  return photosWords(new Set(pictures.map(({ id }) => id)).size)
}
