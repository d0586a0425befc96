import type { Env } from '../../env.ts'
import { failureWords } from '../../ui/failure.ts'
import { showToast } from '../../ui/toast.ts'
import { CryptoFailure, type UploadRow } from '../../worker/crypto.ts'
import { beginEarly } from './beginEarly.ts'
import type { Follower } from './fileFollower.ts'
import { nameOf } from './fileWords.ts'
import { fitting } from './fittingFiles.ts'
import { type Prepared, prepare } from './prepareFile.ts'
import type { Ahead } from './sealAhead.ts'
import { cancelUpload, startUpload } from './uploadQueue.ts'
import { type Early, type Upload, uploadsStore } from './uploadsState.ts'

export interface Options {
  caption: string
  isSmaller: boolean
  /** The file as it was sealed before it was sent. */
  ahead?: Ahead | undefined
}

/**
 * Makes a file ready unless it is, seals it, and sends it. From then on it is kept: a reload, a lost connection and a full queue lose
 * nothing. What cannot be kept is said by a toast, and the answer is false.
 */
export async function sendFile(
  env: Env,
  chats: Follower | undefined,
  chatRoomId: string,
  file: File | Prepared,
  options: Options = { caption: '', isSmaller: false },
): Promise<boolean> {
  try {
    const prepared = file instanceof File ? await prepare(file, options) : file
    const ahead = options.ahead?.file === prepared.file && !options.ahead.hasFailed ? options.ahead : undefined
    const message = { id: ahead?.id ?? crypto.randomUUID(), chatRoomId, sentAt: env.clock().toISOString() }
    // Behind others its bytes would wait in memory.
    const isFirst = uploadsStore.getState().uploads.length === 0
    const early = isFirst ? beginEarly(env, message.id, prepared.file.size, ahead?.bytesOf) : undefined
    const { about } = prepared
    const row = await kept(env, ahead ? { ...message, about } : { ...message, ...prepared }, early)
    await startUpload(env, row, chats, early)
    return true
  } catch (error) {
    showToast({ tone: 'bad', title: 'Upload Failed', text: wordsOf(error, file) })
    if (!isUnreadable(error) && !(error instanceof CryptoFailure)) throw error
    return false
  } finally {
    // Where it was not sent as it was sealed.
    void options.ahead?.drop()
  }
}

function wordsOf(error: unknown, file: File | Prepared): string {
  if (isUnreadable(error) && file instanceof File) return `“${nameOf(file.name)}” cannot be read any more`
  return error instanceof CryptoFailure ? failureWords(error) : 'Failed to upload file. Please try again.'
}

/** True if the file was deleted, moved or changed on the disk after it was chosen. */
const isUnreadable = (error: unknown): boolean =>
  (error instanceof CryptoFailure && error.code === 'file_read') ||
  (error instanceof DOMException && ['NotFoundError', 'NotReadableError'].includes(error.name))

/** Seals and keeps a file. Where that fails the server drops what it has of it. */
async function kept(env: Env, file: Parameters<Env['crypto']['keepUpload']>[0], early: Early | undefined): Promise<UploadRow> {
  try {
    return await env.crypto.keepUpload(file)
  } catch (error) {
    void early?.giveUp()
    throw error
  }
}

/** Sends a file that was chosen again, in the place of one whose bytes are not in this browser any more. */
export async function sendInPlace(env: Env, lost: Upload, [file]: File[]): Promise<void> {
  if (!file || fitting([file]).length === 0) return
  const { chatRoomId, content } = lost
  if (await sendFile(env, undefined, chatRoomId, file, { caption: content.caption, isSmaller: false }))
    await cancelUpload(env, lost)
}
