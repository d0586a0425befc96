import { z } from 'zod'
import type { Live } from '../keys/live.ts'
import type { EpochName } from '../vault/storedRoom.ts'
import type { Write } from '../vault/vault.ts'
import { jsonOf } from '../vault/vaultRows.ts'

/** By page number. */
export type ReadPages = Record<string, ReadPage>

interface ReadPage {
  version: number
  historyKeyId: number | null
  epochs: string[]
  /** Names the lock's seed. */
  seed?: string
  /** Names that of the page which was read before it. */
  seedBefore?: string
  isOwn?: boolean
}

const shape: z.ZodType<ReadPages> = z.record(
  z.string(),
  z.looseObject({
    version: z.number(),
    historyKeyId: z.number().nullable(),
    epochs: z.array(z.string()),
    seed: z.string().exactOptional(),
    seedBefore: z.string().exactOptional(),
    isOwn: z.boolean().exactOptional(),
  }),
)

const rowKey = (chatRoomId: string) => `pages:${chatRoomId}`

export const epochName = ({ groupId, epoch }: EpochName): string => `${groupId} ${epoch}`

export function placeOf(name: string): EpochName {
  const [groupId = '', epoch = ''] = name.split(' ')
  return { groupId, epoch: Number(epoch) }
}

export async function readPages({ vault }: Live, chatRoomId: string): Promise<ReadPages> {
  const row = await vault.get('sealed', rowKey(chatRoomId))
  return row ? jsonOf(shape, row) : {}
}

export const pagesWrite = (chatRoomId: string, pages: ReadPages): Write => ({
  store: 'sealed',
  key: rowKey(chatRoomId),
  value: { json: pages },
})

/** Returns the epochs whose keys are in archive pages. */
export const pagedEpochs = async (live: Live, chatRoomId: string): Promise<Set<string>> =>
  new Set(Object.values(await readPages(live, chatRoomId)).flatMap(({ epochs }) => epochs))
