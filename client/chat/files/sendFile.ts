import type { FileContent } from '../../../contract/chat/content.ts'
import type { Env } from '../../env.ts'
import { connectionStore } from '../../net/status.ts'
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
  ahead?: Ahead | undefined
  album?: FileContent['album']
  quote?: FileContent['quote']
  isOnce?: boolean | undefined
  /** What is written after it waits for it, with a line too. */
  holds?: true
  /** This browser keeps the file. */
  onKept?: () => void
}

/**
 * Prepares, seals, keeps and sends a file. A kept file survives a reload and a lost connection. Returns false, with a toast, if
 * the file cannot be kept.
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
    const isOnce = options.isOnce || prepared.isOnce
    if (isOnce && prepared.about.as !== 'image' && !prepared.about.voice)
      throw new CryptoFailure(
        'file_read',
        `“${prepared.about.name}” is no picture that this browser can read, so it cannot be sent to be opened once`,
      )
    const isQueued = options.holds ?? connectionStore.getState().phase !== 'open'
    const id = ahead?.id ?? crypto.randomUUID()
    const message = {
      id,
      chatRoomId,
      sentAt: env.clock().toISOString(),
      ...(isQueued && { isQueued }),
      ...(isOnce && { isOnce: true as const }),
    }
    // Bytes of a queued file would wait in memory.
    const isFirst = !isQueued && uploadsStore.getState().uploads.length === 0
    const early = isFirst ? beginEarly(env, message.id, prepared.file.size, ahead?.bytesOf) : undefined
    const about = { ...prepared.about, ...(options.quote && { quote: options.quote }) }
    const row = await kept(env, ahead ? { ...message, about } : { ...message, file: prepared.file, about }, early)
    options.onKept?.()
    await startUpload(env, row, chats, early)
    return true
  } catch (error) {
    showToast({ tone: 'bad', title: 'Upload Failed', text: wordsOf(error, file) })
    if (!isUnreadable(error) && !(error instanceof CryptoFailure)) throw error
    return false
  } finally {
    // The sent file may differ from the file sealed ahead.
    void options.ahead?.drop()
  }
}

function wordsOf(error: unknown, file: File | Prepared): string {
  if (isUnreadable(error) && file instanceof File) return `“${nameOf(file.name)}” cannot be read any more`
  return error instanceof CryptoFailure ? failureWords(error) : 'Failed to upload file. Please try again.'
}

/** The file was deleted, moved or changed on disk. */
const isUnreadable = (error: unknown): boolean =>
  (error instanceof CryptoFailure && error.code === 'file_read') ||
  (error instanceof DOMException && ['NotFoundError', 'NotReadableError'].includes(error.name))

/** The server drops its part after a failure. */
async function kept(env: Env, file: Parameters<Env['crypto']['keepUpload']>[0], early: Early | undefined): Promise<UploadRow> {
  try {
    return await env.crypto.keepUpload(file)
  } catch (error) {
    void early?.giveUp()
    throw error
  }
}

interface Picker {
  files: ArrayLike<File> | null
  value: string
}

/** Replaces an upload whose bytes are lost here. */
export async function sendInPlace(env: Env, lost: Upload, picker: Picker): Promise<void> {
  const file = picker.files?.[0]
  // The same file can be chosen again.
  picker.value = ''
  if (!file || fitting([file]).length === 0) return
  const { chatRoomId, content } = lost
  const { caption, album, quote } = content
  const { isOnce } = lost
  if (await sendFile(env, undefined, chatRoomId, file, { caption, isSmaller: false, ...(album && { album }), quote, isOnce }))
    await cancelUpload(env, lost)
}
