import { createStore } from 'zustand/vanilla'
import { accountApi } from '../../../contract/account/account.ts'
import { filesApi } from '../../../contract/chat/files.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Env } from '../../env.ts'
import { putBytes } from '../../net/bytes.ts'
import { inTurn } from '../../net/inTurn.ts'
import { failureWords } from '../../ui/failure.ts'
import { showUser } from '../account/account.ts'
import { type Crop, WHOLE } from './crop.ts'
import { drawCrop } from './drawCrop.ts'
import { encode, PictureError, readPicture } from './readPicture.ts'

/** A picture that was chosen and is not the photo yet. */
export interface Chosen {
  /** The account that chose it. */
  userId: string
  name: string
  picture: ImageBitmap
  crop: Crop
}

interface ChosenState {
  /** Stays until it is saved or given up, whatever screen is shown meanwhile. */
  chosen: Chosen | null
  isSaving: boolean
  /** Why a file cannot be used, or why saving has failed. */
  failure: string | null
}

export const chosenStore = createStore<ChosenState>(() => ({ chosen: null, isSaving: false, failure: null }))

/** Takes a chosen file. What was chosen before stays where this one cannot be used, and `failure` says why. */
export async function chooseFile(userId: string, file: File): Promise<void> {
  try {
    takePicture({ userId, name: file.name, picture: await readPicture(file) })
  } catch (error) {
    chosenStore.setState({ failure: error instanceof PictureError ? error.message : failureWords(error) })
  }
}

/** Takes a picture, whole. */
export function takePicture(taken: Omit<Chosen, 'crop'>): void {
  chosenStore.setState({ chosen: { ...taken, crop: WHOLE }, failure: null })
}

export function cropChosen(crop: Crop): void {
  chosenStore.setState(({ chosen }) => ({ chosen: chosen && { ...chosen, crop } }))
}

export const dropChosen = (): void => chosenStore.setState({ chosen: null, failure: null })

export const dropFailure = (): void => chosenStore.setState({ failure: null })

/** Makes the chosen part the photo. Returns false where that failed: it stays chosen, and `failure` says why. */
export async function saveChosen(env: Env): Promise<boolean> {
  const { chosen, isSaving } = chosenStore.getState()
  if (!chosen || isSaving) return false
  chosenStore.setState({ isSaving: true, failure: null })
  try {
    await savePhoto(env, await photoOf(chosen))
    chosenStore.setState(({ chosen: now }) => ({ chosen: now === chosen ? null : now }))
    return true
  } catch (error) {
    chosenStore.setState({ failure: failureWords(error) })
    return false
  } finally {
    chosenStore.setState({ isSaving: false })
  }
}

/** The part that is shown, as the file that others get. */
async function photoOf({ picture, crop }: Chosen): Promise<Blob> {
  const canvas = document.createElement('canvas')
  canvas.width = LIMITS.photoSidePx
  canvas.height = LIMITS.photoSidePx
  drawCrop(canvas, picture, crop)
  return await encode(canvas)
}

/** Uploads a photo and makes it that of the account. Throws ApiError. */
export async function savePhoto(env: Env, photo: Blob): Promise<void> {
  const { uploadURL } = await env.api(filesApi.upload, {})
  await putBytes(uploadURL, photo)
  await setPhoto(env, uploadURL.split('?')[0] ?? '')
}

/** Removes the account's photo. Throws ApiError. */
export const removePhoto = (env: Env): Promise<void> => setPhoto(env, null)

// Queued like every read of the user, so that an answer from before cannot overwrite it.
const setPhoto = (env: Env, profileImageURL: string | null): Promise<void> =>
  inTurn(env, 'user', async () => showUser(env, await env.api(accountApi.setPhoto, { profileImageURL })))
