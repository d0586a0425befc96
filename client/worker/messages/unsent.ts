import { z } from 'zod'
import { readContent } from '../../../contract/chat/content.ts'
import { contentWords, isCounted, isTyped, quoteIn } from '../../../contract/chat/kinds/kinds.ts'
import { withoutFile } from '../../../contract/chat/oncefiles.ts'
import type { Live } from '../keys/live.ts'
import type { Write } from '../vault/vault.ts'
import { jsonOf, type VaultValue } from '../vault/vaultRows.ts'
import { UPLOADS } from '../vault/waitingFiles.ts'
import { draftWrite, inKeepingOrder, readDraft, replyWrite } from './begunRows.ts'
import { type Kept, keptOf, ownWrite, withOutbox } from './outbox.ts'

interface Name {
  chatRoomId: string
  id: string
}

export const droppedWrites = (chatRoomId: string, id: string, { own }: Kept): Write[] => [
  { store: 'outbox', key: [chatRoomId, own.order], value: null },
  // The copy stays: it proves that this device made the bytes [Note: V2].
  ownWrite(chatRoomId, id, own.envelope === null ? null : { ...own, content: withoutKey(own.content) }),
]

/** The copy of what opens once has no file [Note: M14]. */
function withoutKey(kept: unknown): unknown {
  const content = readContent(kept)
  return content?.type === 'once' ? withoutFile(content) : kept
}

export function dropFromOutbox(live: Live, { chatRoomId, id }: Name): Promise<void> {
  return withOutbox(live, chatRoomId, async () => {
    const kept = await keptOf(live, chatRoomId, id)
    if (kept) await live.vault.write(droppedWrites(chatRoomId, id, kept))
  })
}

/** The server may have unrefused bytes. */
const mayBeSent = ({ row, own }: Kept): boolean => own.envelope !== null && (row.failure === null || row.envelope === null)

/** Makes a text the draft's beginning. Returns undefined if it may be sent. */
export function takeBack(live: Live, { chatRoomId, id }: Name): Promise<string | undefined> {
  return inKeepingOrder(live, chatRoomId, () =>
    withOutbox(live, chatRoomId, async () => {
      const kept = await keptOf(live, chatRoomId, id)
      const content = kept && readContent(kept.row.content)
      if (!kept || !content || !isTyped(content) || mayBeSent(kept)) return undefined
      const text = contentWords(content)
      const draft = [text, await readDraft(live, chatRoomId)].filter(Boolean).join('\n')
      const quote = quoteIn(content)
      const writes = quote ? [replyWrite(chatRoomId, quote)] : []
      await live.vault.write([...droppedWrites(chatRoomId, id, kept), draftWrite(chatRoomId, draft), ...writes])
      return text
    }),
  )
}

const waitingShape = z.looseObject({
  id: z.string(),
  isCancelled: z.boolean().default(false),
  content: z.unknown(),
})
const inAlbum = z.looseObject({ album: z.looseObject({ id: z.string() }) })

/** Returns undefined for what the person does not see. */
function seenName(value: VaultValue): string | undefined {
  const { id, isCancelled, content } = jsonOf(waitingShape, value)
  const known = readContent(content)
  if (isCancelled || (known && !isCounted(known))) return undefined
  return inAlbum.safeParse(content).data?.album.id ?? id
}

/** Counts messages as the person sees them, in locked rooms every row. */
export async function unsentCount({ vault }: Live): Promise<number> {
  const [keys, files] = await Promise.all([vault.keys('outbox'), vault.keys('sealed', UPLOADS)])
  const open = (await Promise.all([vault.all('outbox'), vault.named(UPLOADS)])).flat()
  return keys.length + files.length - open.length + new Set(open.flatMap(({ value }) => seenName(value) ?? [])).size
}
