import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import type { Content, FileContent } from '../../../contract/chat/content.ts'
import { toBase64 } from '../../../contract/ground/bytes.ts'
import { patchedClient, people } from '../../testing/room.ts'
import { messageWrites } from '../../worker/vault/storedMessage.ts'
import { withNewerPictures, withOlderPictures } from '../files/pictures.ts'
import { type ListedFile, sharedPage } from '../files/sharedPage.ts'
import { type Listing, monthsOf, readNews, tabsOf, UNREAD, withNews, withOlder, wordsOf } from './shared.ts'

const listed = (seq: number, about: Partial<FileContent>): ListedFile => ({
  ...{ chatRoomId: 'room', id: `${seq}`, seq, at: '2026-01-02T10:00:00.000Z', senderId: 'bob' },
  file: {
    ...{ type: 'file', as: 'file', object: '', storedBytes: 4096, key: '', hash: '', name: '', sizeBytes: 1, caption: '' },
    ...{ mediaType: 'application/pdf', ...about },
  },
})

const files = [
  listed(1, { as: 'image', mediaType: 'image/png', name: 'Café am Meer.png', caption: 'our table' }),
  listed(2, { mediaType: 'video/mp4', name: 'film.mp4' }),
  listed(3, { as: 'audio', mediaType: 'audio/webm', voice: { seconds: 2, peaks: '' } }),
  listed(4, { name: 'plan.pdf', caption: 'Table of figures' }),
  listed(5, { as: 'image', mediaType: 'image/svg+xml', name: 'drawing.svg' }),
]
const shared = {
  files,
  links: [{ chatRoomId: 'room', id: '6', seq: 6, at: '', senderId: 'bob', address: 'https://cafe.example/menu' }],
}
const seqs = (typed: string) => {
  const { media, voice, files, links } = tabsOf(shared, typed)
  return [media, voice, files, links].map((lines) => lines.map(({ seq }) => seq))
}

test('Media are what the page shows; voice has a tab of its own; what could run is a file, whatever its sender calls it', () => {
  expect(seqs('')).toEqual([[1, 2], [3], [4, 5], [6]])
})

test('The filter finds any part of names, captions, kinds and addresses, without case and accents', () => {
  expect(seqs('CAFE')).toEqual([[1], [], [], [6]])
  expect(seqs('able')).toEqual([[1], [], [4], []])
  expect(seqs('table caf')).toEqual([[1], [], [], []])
  expect(seqs('voice')).toEqual([[], [3], [], []])
  expect(seqs('nothing of this')).toEqual([[], [], [], []])
  expect(files.map(({ file }) => wordsOf(file))).toEqual(['Photo', 'Video', 'Voice message', 'Document', 'Document'])
})

test('Each month stands once, wherever the clock of a message stood', () => {
  const sent = (seq: number, month: number) => ({ ...listed(seq, {}), at: new Date(2026, month - 1, 15).toISOString() })
  const months = monthsOf([sent(4, 11), sent(3, 10), sent(2, 11), sent(1, 10)])
  expect(months.map(({ key, lines }) => [key, lines.map(({ seq }) => seq)])).toEqual([
    ['2026-11', [4, 2]],
    ['2026-10', [3, 1]],
  ])
})

const NOTHING = toBase64(new Uint8Array(32))
const fileOf = (name: string): FileContent => ({
  ...{ type: 'file', as: 'image', object: randomUUID(), storedBytes: 4096, key: NOTHING, hash: NOTHING, sizeBytes: 1 },
  ...{ name, mediaType: 'image/png', caption: '' },
})
const text = (words: string): Content => ({ type: 'text', text: words })

/** Alice's chat with Bob, and how messages of his come into her vault, so far behind what was there. */
async function chatOfAlice() {
  const { alice, bob, roomId } = await people()
  await alice.says(bob, 'hello')
  await alice.reads(bob)
  const { live } = await patchedClient(alice, bob)
  const { cursor } = await alice.core.page({ chatRoomId: roomId, limit: 1 })
  const keeps = (contents: [number, Content][]) =>
    live.vault.write(
      contents.flatMap(([at, content]) =>
        messageWrites({
          ...{ id: randomUUID(), chatRoomId: roomId, seq: cursor + at, senderId: bob.userId },
          ...{ at: '2026-01-02T10:00:00.000Z', body: { kind: 'content', content } },
        }),
      ),
    )
  return { alice, roomId, cursor, keeps }
}

test('A long chat is read in pages from its newest message on, each message once, and what comes meanwhile stands above', async () => {
  const { alice, roomId, cursor, keeps } = await chatOfAlice()
  const contentAt = (at: number): Content => {
    if (at === 1) return text('the deed is at https://deeds.example/1')
    return at % 100 === 50 ? fileOf(`photo-${at}.png`) : text(`line ${at}`)
  }
  await keeps(Array.from({ length: 1000 }, (_, at) => [at + 1, contentAt(at + 1)]))

  const asked = vi.spyOn(alice.core, 'page')
  const readOn = async (listing: Listing) => withOlder(listing, await sharedPage(alice.env, roomId, { before: listing.oldest }))
  const names = ({ files }: Listing) => files.map(({ file }) => file.name)
  let listing = await readOn(UNREAD)
  expect(names(listing)).toEqual(['photo-950.png', 'photo-850.png'])
  expect(listing).toMatchObject({ links: [], newest: cursor + 1000, oldest: cursor + 801, isWhole: false })
  expect(asked).toHaveBeenCalledTimes(1)

  await keeps([[1001, fileOf('news.png')]])
  const takeNews = async () => {
    await readNews(alice.env, roomId, cursor + 1000, (page) => {
      listing = withNews(listing, page)
    })
  }
  await takeNews()
  await takeNews()
  while (!listing.isWhole) listing = await readOn(listing)
  const old = [950, 850, 750, 650, 550, 450, 350, 250, 150, 50].map((at) => `photo-${at}.png`)
  expect(names(listing)).toEqual(['news.png', ...old])
  expect(listing.links).toMatchObject([{ seq: cursor + 1, address: 'https://deeds.example/1' }])
  expect(tabsOf(listing, 'deed').links).toHaveLength(1)
  for (const [{ limit }] of asked.mock.calls) expect(limit).toBeLessThanOrEqual(200)
})

test('From a picture the next ones are found on both sides, also behind many messages without one', async () => {
  const { alice, roomId, cursor, keeps } = await chatOfAlice()
  const pictures = new Map([5, 6, 390, 795].map((at) => [at, fileOf(`photo-${at}.png`)]))
  await keeps(Array.from({ length: 800 }, (_, at) => [at + 1, pictures.get(at + 1) ?? text(`line ${at + 1}`)]))
  const { signal } = new AbortController()
  const held = { chatRoomId: roomId, file: pictures.get(390) as FileContent, seq: cursor + 390 }
  const alone = { pictures: [held], before: cursor + 390, after: cursor + 390 }
  const older = (await withOlderPictures(alice.env, roomId, cursor + 390, signal))(alone)
  const both = (await withNewerPictures(alice.env, roomId, cursor + 390, signal))(older)
  expect(both.pictures.map(({ file }) => file.name)).toEqual([5, 6, 390, 795].map((at) => `photo-${at}.png`))
  expect([both.before, both.after]).toEqual([undefined, undefined])
})
