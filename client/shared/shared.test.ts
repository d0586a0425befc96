import { expect, test } from 'vitest'
import type { FileContent } from '../../contract/content.ts'
import type { ListedFile } from '../files/list.ts'
import { tabsOf, wordsOf } from './shared.ts'

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
  hasOlder: false,
}
const seqs = (typed: string) => {
  const { media, documents, links } = tabsOf(shared, typed)
  return [media, documents, links].map((lines) => lines.map(({ seq }) => seq))
}

test('Media are what the page shows and plays; what could run is a document, whatever its sender calls it', () => {
  expect(seqs('')).toEqual([[1, 2, 3], [4, 5], [6]])
})

test('The filter finds any part of names, captions, kinds and addresses, without case and accents', () => {
  expect(seqs('CAFE')).toEqual([[1], [], [6]])
  expect(seqs('able')).toEqual([[1], [4], []])
  expect(seqs('table caf')).toEqual([[1], [], []])
  expect(seqs('voice')).toEqual([[3], [], []])
  expect(seqs('nothing of this')).toEqual([[], [], []])
  expect(files.map(({ file }) => wordsOf(file))).toEqual(['Photo', 'Video', 'Voice message', 'Document', 'Document'])
})
