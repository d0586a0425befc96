import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { connectionStore } from '../../net/status.ts'
import { gif, jpeg } from '../../testing/pictures.ts'
import { wantPhoto } from './fetchPhotos.ts'
import { photosStore, resetPhotos } from './photosState.ts'

const pathOf = (at: number) => `/objects/uploads/00000000-0000-4000-8000-${String(at).padStart(12, '0')}`
const answers: { path: string; take: (response: Response | Error) => void }[] = []
const revoked: string[] = []
let made = 0

beforeEach(() => {
  answers.length = 0
  revoked.length = 0
  connectionStore.setState({ phase: 'open' })
  vi.stubGlobal('fetch', (path: string) => {
    return new Promise<Response>((resolve, reject) => {
      answers.push({ path, take: (answer) => (answer instanceof Error ? reject(answer) : resolve(answer)) })
    })
  })
  vi.spyOn(URL, 'createObjectURL').mockImplementation(() => `blob:${++made}`)
  vi.spyOn(URL, 'revokeObjectURL').mockImplementation((url) => void revoked.push(url))
})
afterEach(() => {
  resetPhotos()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const photo = (type = 'image/jpeg', sizeBytes = 5, bytes = jpeg([320, 320])) =>
  new Response(bytes, { headers: { 'content-type': type, 'content-length': String(sizeBytes) } })
const asked = () => answers.map(({ path }) => path)
const shown = () => [...photosStore.getState().photos.keys()]
const answered = async (at: number, answer: Response | Error) => {
  answers[at]?.take(answer)
  await new Promise((resolve) => setTimeout(resolve))
}
/** A photo is measured before it is shown. */
const comes = async (at: number, answer: Response) => {
  const before = shown().length
  await answered(at, answer)
  await expect.poll(() => shown().length > before).toBe(true)
}

test('Three photos are loaded at a time, each once, and stay in memory', async () => {
  for (let at = 1; at <= 5; at++) wantPhoto(pathOf(at))
  wantPhoto(pathOf(1))
  expect(asked()).toEqual([1, 2, 3].map(pathOf))
  await comes(0, photo())
  expect(asked()).toEqual([1, 2, 3, 4].map(pathOf))
  expect(shown()).toEqual([pathOf(1)])
  for (const at of [1, 2, 3, 4]) await comes(at, photo('image/png'))
  wantPhoto(pathOf(1))
  expect(asked()).toHaveLength(5)
})

test('Without a connection nothing is shown, and it is tried again with the next one', async () => {
  wantPhoto(pathOf(11))
  await answered(0, new TypeError('Failed to fetch'))
  wantPhoto(pathOf(11))
  expect([asked().length, shown()]).toEqual([1, []])
  connectionStore.setState({ phase: 'waiting' })
  connectionStore.setState({ phase: 'open' })
  expect(asked()).toHaveLength(2)
  await comes(1, photo())
  expect(shown()).toEqual([pathOf(11)])
})

test('No other server is asked, whatever address ours has named; what is no picture or too large is not shown', async () => {
  for (const path of ['https://evil.example/pixel.gif', '//evil.example/x.png', '/api/user', 'javascript:alert(1)'])
    wantPhoto(path)
  await new Promise((resolve) => setTimeout(resolve))
  expect(answers).toEqual([])
  wantPhoto(`https://evil.example${pathOf(21)}`)
  expect(asked()).toEqual([pathOf(21)])
  await answered(0, photo('image/svg+xml'))
  wantPhoto(pathOf(22))
  await answered(1, photo('image/jpeg', 6_000_000))
  wantPhoto(pathOf(23))
  await answered(2, new Response('{}', { status: 404 }))
  expect(shown()).toEqual([])
})

test('With the account its people’s photos leave the memory', async () => {
  wantPhoto(pathOf(31))
  await comes(0, photo())
  const [url] = photosStore.getState().photos.values()
  resetPhotos()
  expect([shown(), revoked]).toEqual([[], [url]])
})

test('A photo of a few bytes that would fill the memory is never handed to the page, nor is what cannot be measured', async () => {
  const bombs = [gif([1, 1], [20_000, 20_000]), jpeg([60_000, 60_000], 300_000), new TextEncoder().encode('bytes')]
  // Three are loaded at a time: the others are asked for once the bombs are refused.
  for (let at = 41; at <= 46; at++) wantPhoto(pathOf(at))
  for (const [at, bytes] of bombs.entries()) await answered(at, photo('image/gif', 60_000, bytes))
  await expect.poll(() => asked().length === 6).toBe(true)
  expect(shown()).toEqual([])
  for (const at of [3, 4, 5]) await comes(at, photo())
  expect(URL.createObjectURL).toHaveBeenCalledTimes(3)
})

test('A large photo is unpacked once, to keep a small one', async () => {
  const bitmap = { close: vi.fn() }
  const unpack = vi.fn(async (..._: unknown[]) => bitmap)
  vi.stubGlobal('createImageBitmap', unpack)
  const small = new Blob(['small'])
  vi.stubGlobal(
    'OffscreenCanvas',
    class {
      // No pixel is another than the one that was drawn.
      getContext = () => ({ drawImage: vi.fn(), fillRect: vi.fn(), getImageData: () => ({ data: [] }) })
      convertToBlob = async () => small
    },
  )
  wantPhoto(pathOf(51))
  await comes(0, photo('image/jpeg', 60_000, jpeg([4000, 3000])))
  expect(unpack.mock.calls[0]?.[1]).toMatchObject({ resizeWidth: 427, resizeHeight: 320 })
  expect(vi.mocked(URL.createObjectURL).mock.calls).toEqual([[small]])
  expect(bitmap.close).toHaveBeenCalledOnce()
})
