import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { User } from '../../../contract/account/account.ts'
import { filesApi } from '../../../contract/chat/files.ts'
import type { Env } from '../../env.ts'
import { openBrowser } from '../../testing/browser.ts'
import { ALL_SHOWN } from '../../testing/privacy.ts'
import { accountStore } from '../account/accountState.ts'
import { WHOLE } from './crop.ts'
import { chooseFile, chosenStore, cropChosen, dropChosen, removePhoto, saveChosen, takePicture } from './photo.ts'

const alice: User = {
  ...{ id: 'a1', username: 'alice', displayName: 'Alice', profileImageUrl: null, isAdmin: false, subscriptionTier: 'free' },
  ...{ biometricEnabled: false, email: null, onionAddress: null, hasKeys: true, deviceId: null },
  privacy: ALL_SHOWN,
}
const PATH = '/objects/uploads/7f1d2a4e-8f0b-4f43-9d0b-0c5a5e6b7c8d'
const sent: unknown[] = []

/** A page of Alice, whose server takes bytes as `takes` says. */
function page(takes: () => Promise<Response>): Env {
  accountStore.setState({ phase: 'signed_in', user: alice, notice: null, isNew: false })
  vi.stubGlobal('fetch', async (address: string, init: RequestInit) => {
    sent.push([init.method, address, init.body])
    return takes()
  })
  const api = async (call: unknown, input: { profileImageURL?: string | null }) => {
    sent.push([call === filesApi.upload ? 'upload' : 'photo', input])
    return call === filesApi.upload ? { uploadURL: `${PATH}?signature=1` } : { ...alice, profileImageUrl: input.profileImageURL }
  }
  return { api } as never
}
const done = async () => new Response('{}')
const shown = () => accountStore.getState().user?.profileImageUrl

/** A picture of this size that is drawn nowhere. */
const picture = { width: 400, height: 300 } as ImageBitmap
const drawn = { drawImage: vi.fn(), fillRect: vi.fn() }
const jpeg = new Blob(['jpeg'])

beforeEach(() => {
  openBrowser()
  sent.length = 0
  dropChosen()
  const canvas = { getContext: () => drawn, toBlob: (take: (blob: Blob) => void) => take(jpeg) }
  vi.stubGlobal('document', { createElement: () => canvas })
})
afterEach(() => vi.unstubAllGlobals())

test('The chosen part goes to the address that was answered, and becomes the photo at once', async () => {
  const env = page(done)
  takePicture({ userId: 'a1', name: 'me.jpg', picture })
  expect(await saveChosen(env)).toBe(true)
  expect(sent).toEqual([
    ['upload', {}],
    ['PUT', `${PATH}?signature=1`, jpeg],
    ['photo', { profileImageURL: PATH }],
  ])
  expect(drawn.drawImage).toHaveBeenLastCalledWith(picture, 50, 0, 300, 300, 0, 0, 320, 320)
  expect([shown(), chosenStore.getState().chosen]).toEqual([PATH, null])
})

test('Offline, or where the server refuses, what was chosen and how it was cut stays, with the reason', async () => {
  const crop = { ...WHOLE, zoom: 2 }
  takePicture({ userId: 'a1', name: 'me.jpg', picture })
  cropChosen(crop)
  expect(await saveChosen(page(() => Promise.reject(new TypeError('Failed to fetch'))))).toBe(false)
  expect(chosenStore.getState()).toMatchObject({ failure: 'The server cannot be reached', isSaving: false, chosen: { crop } })
  const refused = { error: 'This is not a JPG, PNG or GIF picture, or it has more than 25 megapixels', code: 'not_a_picture' }
  expect(await saveChosen(page(async () => Response.json(refused, { status: 400 })))).toBe(false)
  expect(chosenStore.getState()).toMatchObject({ failure: refused.error, chosen: { crop } })
  expect(shown()).toBeNull()
  expect(await saveChosen(page(done))).toBe(true)
})

test('A file that cannot be used leaves the one that was chosen before', async () => {
  takePicture({ userId: 'a1', name: 'me.jpg', picture })
  await chooseFile('a1', new File(['%PDF-1.7'], 'report.jpg'))
  expect(chosenStore.getState()).toMatchObject({ chosen: { name: 'me.jpg' }, failure: expect.stringContaining('“report.jpg”') })
})

test('A photo that is removed is gone from the own page at once', async () => {
  const env = page(done)
  accountStore.setState({ user: { ...alice, profileImageUrl: PATH } })
  await removePhoto(env)
  expect(sent).toEqual([['photo', { profileImageURL: null }]])
  expect(shown()).toBeNull()
})
