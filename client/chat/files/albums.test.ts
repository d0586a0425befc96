import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { beginAlbum, endAlbum, inAlbums, unfinishedAlbums } from './albums.ts'
import { settle } from './fileFollower.ts'
import { sendFile } from './sendFile.ts'
import { sendFiles } from './sendFiles.ts'
import type { Upload } from './uploadsState.ts'

vi.mock('./sendFile.ts', () => ({ sendFile: vi.fn(async () => true) }))
vi.mock('./fileFollower.ts', () => ({ settle: vi.fn(async () => undefined) }))

const held = new Set<string>()
const waiting: { name: string; mode: string; free: () => void }[] = []
const query = vi.fn()
beforeEach(() => {
  vi.clearAllMocks()
  waiting.length = 0
  const locks = {
    async request(name: string, first: (() => Promise<void>) | { mode: string }, second?: () => void) {
      if (typeof first === 'function') {
        held.add(name)
        await first()
        held.delete(name)
      } else {
        await new Promise<void>((free) => waiting.push({ name, mode: first.mode, free }))
        second?.()
      }
    },
    query: query.mockImplementation(async () => ({ held: [...held].map((name) => ({ name })) })),
  }
  vi.stubGlobal('navigator', { locks })
})
afterEach(() => void vi.unstubAllGlobals())

const files = (...names: string[]) =>
  names.map((name) => new File(['x'], name, { type: name.endsWith('pdf') ? '' : 'image/png' }))
const shapes = (names: string[]) =>
  inAlbums(files(...names)).map(({ file, album }) => (album ? `${file.name} ${album.place}` : file.name))
const pictures = (count: number) => Array.from({ length: count }, (_, at) => `${at}.png`)

test('Two pictures are an album, one is none, and what is no picture comes after them', () => {
  expect(shapes(['a.png'])).toEqual(['a.png'])
  expect(shapes(['a.pdf', 'b.png', 'c.pdf'])).toEqual(['a.pdf', 'b.png', 'c.pdf'])
  expect(shapes(['a.pdf', 'b.png', 'c.pdf', 'd.png'])).toEqual(['b.png 0', 'd.png 1', 'a.pdf', 'c.pdf'])
})

test.each([
  [10, [10]],
  [11, [6, 5]],
  [21, [7, 7, 7]],
  [30, [10, 10, 10]],
])('%i pictures are albums of %j', (count, sizes) => {
  const ids = inAlbums(files(...pictures(count))).map(({ album }) => album?.id)
  const albums = [...new Set(ids)]
  expect(albums.map((id) => ids.filter((one) => one === id).length)).toEqual(sizes)
})

const unfinished = async (uploads: Upload[], onEnd = () => undefined) => [...(await unfinishedAlbums(uploads, onEnd))]
const upload = (id: string, object: string | null): Upload => ({ object, content: { album: { id, place: 0 } } }) as never

test('An album is unfinished while a picture of it is on its way, or not kept yet', async () => {
  expect(await unfinished([upload('a', null), upload('a', 'x'), upload('b', 'y')])).toEqual(['a'])
  await beginAlbum('b')
  expect(await unfinished([upload('b', 'y')])).toEqual(['b'])
  endAlbum('b')
  expect(await unfinished([upload('b', 'y')])).toEqual([])
})

test('An album is unfinished while another tab still keeps pictures of it, whose end is waited for once', async () => {
  held.add('conclave/album/c')
  const onEnd = vi.fn()
  for (const _ of [1, 2]) expect(await unfinished([upload('c', 'x'), upload('d', 'y'), upload('c', 'z')], onEnd)).toEqual(['c'])
  expect(waiting).toMatchObject([{ name: 'conclave/album/c', mode: 'shared' }])
  expect(onEnd).not.toHaveBeenCalled()
  held.delete('conclave/album/c')
  waiting[0]?.free()
  await expect.poll(() => onEnd.mock.calls.length).toBe(1)
  expect(await unfinished([upload('c', 'x')])).toEqual([])
})

test('Files without an album ask for no locks', async () => {
  expect(await unfinished([{ object: 'x', content: {} } as never])).toEqual([])
  expect(query).not.toHaveBeenCalled()
})

test('Each album of an act has its lock, which other tabs see, until its last picture is kept', async () => {
  const ids: (string | undefined)[] = []
  vi.mocked(sendFile).mockImplementation(async (...[, , , , options]) => {
    const id = options?.album?.id
    ids.push(id)
    expect(held).toContain(`conclave/album/${id}`)
    await expect.poll(() => held.has(`conclave/album/${ids[0]}`)).toBe(id === ids[0])
    return true
  })
  await sendFiles({} as never, {} as never, 'room', files(...pictures(11)), { caption: '', isSmaller: false })
  expect(new Set(ids).size).toBe(2)
  await expect.poll(() => held.size).toBe(0)
})

test('The caption goes with the first, and a failure ends the wait of the others', async () => {
  vi.mocked(sendFile).mockResolvedValueOnce(true).mockRejectedValueOnce(new Error('stopped'))
  const picked = files('a.png', 'b.png', 'c.png')
  const sending = sendFiles({} as never, {} as never, 'room', picked, { caption: 'by the sea', isSmaller: true })
  await expect(sending).rejects.toThrow('stopped')
  expect(vi.mocked(sendFile).mock.calls.map(([, , , , options]) => [options?.caption, options?.album?.place])).toEqual([
    ['by the sea', 0],
    ['', 1],
  ])
  await expect.poll(() => held.size).toBe(0)
  // Those that were kept before are not left behind.
  expect(settle).toHaveBeenCalledOnce()
})

test('Pictures of one act are kept while the album before is still being posted, and the act ends with the posts', async () => {
  const posted: (() => void)[] = []
  vi.mocked(settle).mockImplementation(() => new Promise((resolve) => posted.push(() => resolve())))
  let isOver = false
  const sending = sendFiles({} as never, {} as never, 'room', files(...pictures(21)), { caption: '', isSmaller: false })
  const ended = sending.then(() => {
    isOver = true
  })
  await expect.poll(() => vi.mocked(sendFile).mock.calls.length).toBe(21)
  await expect.poll(() => posted.length).toBe(3)
  expect(isOver).toBe(false)
  for (const end of posted) end()
  await ended
})
