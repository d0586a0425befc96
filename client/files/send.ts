import { CryptoFailure } from '../crypto/crypto.ts'
import type { Env } from '../env.ts'
import { failureWords } from '../ui/failure.ts'
import { showToast } from '../ui/toast.ts'
import { type Prepared, prepare } from './prepare.ts'
import { type Follower, startUpload } from './upload.ts'

interface Options {
  caption: string
  isSmaller: boolean
}

/**
 * Makes a file ready unless it is, seals it, and sends it. From then on it is kept: a reload, a lost connection and a full queue lose
 * nothing. What cannot be kept is said by a toast.
 */
export async function sendFile(
  env: Env,
  chats: Follower,
  chatRoomId: string,
  file: File | Prepared,
  options: Options = { caption: '', isSmaller: false },
): Promise<void> {
  try {
    const prepared = file instanceof File ? await prepare(file, options) : file
    const message = { id: crypto.randomUUID(), chatRoomId, sentAt: env.clock().toISOString() }
    await startUpload(env, await env.crypto.keepUpload({ ...message, ...prepared }), chats)
  } catch (error) {
    const words = error instanceof CryptoFailure ? failureWords(error) : 'Failed to upload file. Please try again.'
    showToast({ tone: 'bad', title: 'Upload Failed', text: words })
    if (!(error instanceof CryptoFailure)) throw error
  }
}
