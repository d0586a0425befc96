import { contentWords } from '../../../contract/chat/kinds/kinds.ts'
import { onceOf } from '../../../contract/chat/oncefiles.ts'
import type { Env } from '../../env.ts'
import { inTurn } from '../../net/inTurn.ts'
import type { UploadRow } from '../../worker/crypto.ts'
import { type Upload, uploadsStore } from './uploadsState.ts'

export type Name = Pick<UploadRow, 'chatRoomId' | 'id'>

export const stopped = () => new DOMException('The file was stopped', 'AbortError')

/** One tab's reads and writes take turns, so the screen shows the last write. */
export const inRows = <T>(env: Env, work: () => Promise<T>): Promise<T> => inTurn(env, 'upload rows', work)

type Change = NonNullable<Parameters<Env['crypto']['changeUpload']>[0]['change']>

/** undefined if the file was sent or given up. */
export const note = (env: Env, { chatRoomId, id }: Name, to: Change): Promise<UploadRow | undefined> =>
  inRows(env, async () => {
    const row = await env.crypto.changeUpload({ chatRoomId, id, change: to })
    if (row) change(id, to)
    return row?.isCancelled ? undefined : row
  })

/** Returns false for a shown file. */
export function add(row: UploadRow, early?: Upload['early']): boolean {
  if (find(row.id)) return false
  const state = row.object === null ? 'queued' : 'stored'
  const upload: Upload = { ...row, early, state, reason: null, part: 0, line: lineOf(row) }
  uploadsStore.setState(({ uploads }) => ({ uploads: [...uploads, upload] }))
  return true
}

const lineOf = ({ id, chatRoomId, sentAt, content, isOnce }: UploadRow): Upload['line'] => {
  const file = { ...content, object: '' }
  const once = isOnce && onceOf(file)
  const body = once
    ? { kind: 'once' as const, once, text: contentWords(once), chatRoomId }
    : { kind: 'file' as const, file, text: content.caption, chatRoomId }
  return { id, seq: null, at: sentAt, isMine: true, status: 'sending', reason: null, body, isOutOfPlace: false }
}

export const change = (id: string, to: Partial<Upload>): void =>
  uploadsStore.setState(({ uploads }) => ({ uploads: uploads.map((one) => (one.id === id ? { ...one, ...to } : one)) }))

export const find = (id: string): Upload | undefined => uploadsStore.getState().uploads.find((one) => one.id === id)

export const remove = (id: string): void =>
  uploadsStore.setState(({ uploads }) => ({ uploads: uploads.filter((one) => one.id !== id) }))
