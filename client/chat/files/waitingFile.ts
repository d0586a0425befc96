import type { Env } from '../../env.ts'
import { inTurn } from '../../net/inTurn.ts'
import type { UploadRow } from '../../worker/crypto.ts'
import { type Upload, uploadsStore } from './uploadsState.ts'

/** A file that waits. */
export type Name = Pick<UploadRow, 'chatRoomId' | 'id'>

export const stopped = () => new DOMException('The file was stopped', 'AbortError')

/** Reads or writes rows of waiting files alone in this tab, so that what is shown is what was written last. */
export const inRows = <T>(env: Env, work: () => Promise<T>): Promise<T> => inTurn(env, 'upload rows', work)

type Change = NonNullable<Parameters<Env['crypto']['changeUpload']>[0]['change']>

/** Changes what is noted of a file, and shows it. undefined if the file has gone, or was given up. */
export const note = (env: Env, { chatRoomId, id }: Name, to: Change): Promise<UploadRow | undefined> =>
  inRows(env, async () => {
    const row = await env.crypto.changeUpload({ chatRoomId, id, change: to })
    if (row) change(id, to)
    return row?.isCancelled ? undefined : row
  })

/** Shows a file that waits. False if it is shown already. */
export function add(row: UploadRow, early?: Upload['early']): boolean {
  if (find(row.id)) return false
  const state = row.object === null ? 'queued' : 'stored'
  const upload: Upload = { ...row, early, state, reason: null, part: 0, line: lineOf(row) }
  uploadsStore.setState(({ uploads }) => ({ uploads: [...uploads, upload] }))
  return true
}

const lineOf = ({ id, chatRoomId, sentAt, content }: UploadRow): Upload['line'] => {
  const body = { kind: 'file' as const, file: { ...content, object: '' }, text: content.caption, chatRoomId }
  return { id, seq: null, at: sentAt, isMine: true, status: 'sending', reason: null, body, isOutOfPlace: false }
}

/** Changes what is shown of a file. */
export const change = (id: string, to: Partial<Upload>): void =>
  uploadsStore.setState(({ uploads }) => ({ uploads: uploads.map((one) => (one.id === id ? { ...one, ...to } : one)) }))

export const find = (id: string): Upload | undefined => uploadsStore.getState().uploads.find((one) => one.id === id)

export const remove = (id: string): void =>
  uploadsStore.setState(({ uploads }) => ({ uploads: uploads.filter((one) => one.id !== id) }))
