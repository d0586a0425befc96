import { unzipSync } from 'fflate'
import { expect, test } from 'vitest'
import type { User } from '../../../contract/account/account.ts'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { toBase64 } from '../../../contract/ground/bytes.ts'
import type { Room } from '../../rooms/list/room.ts'
import { changePerson, putPeople } from '../../rooms/trust/people.ts'
import { directOf } from '../../testing/direct.ts'
import { sendsFile, servesFiles } from '../../testing/files.ts'
import { newPerson, type TestPerson } from '../../testing/people.ts'
import { ALL_SHOWN } from '../../testing/privacy.ts'
import { patchedClient } from '../../testing/room.ts'
import { createWire } from '../../testing/wire.ts'
import { chatLines } from './chatPage.ts'
import { type ExportProgress, exportAccount, fileWord } from './export.ts'
import { fileName } from './writeAttached.ts'
import { openArchive } from './zipArchive.ts'

const ownerOf = ({ userId, deviceId }: TestPerson): User => ({
  id: userId,
  username: 'alice',
  displayName: 'Alice <b>',
  profileImageUrl: null,
  isAdmin: false,
  subscriptionTier: 'premium',
  biometricEnabled: false,
  email: null,
  onionAddress: null,
  hasKeys: true,
  deviceId,
  privacy: ALL_SHOWN,
})

/** Adds the room with the other person and their name to the owner's list. */
function listed(owner: TestPerson, other: TestPerson): Room {
  const contact = owner.contact(other)
  const { room, person } = directOf({ ...contact, contactUser: { ...contact.contactUser, username: 'bob' } })
  putPeople([person])
  return room
}

async function unpacked(archive: Blob): Promise<Record<string, string>> {
  const files = unzipSync(new Uint8Array(await archive.arrayBuffer()))
  return Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, new TextDecoder().decode(bytes)]))
}

const options = (rooms: Room[], onProgress: (progress: ExportProgress) => void = () => undefined) => ({
  rooms,
  hasFiles: true,
  fonts: '@font-face{}',
  onProgress,
  signal: new AbortController().signal,
})

test('a new browser exports the whole chat, older pages too, as JSON and as a page that anybody can read', async () => {
  const wire = createWire()
  const [alice, bob] = [await newPerson(wire), await newPerson(wire)]
  await alice.says(bob, 'first <script>alert(1)</script>')
  for (let at = 0; at < 60; at++) await bob.keeps(alice, `line ${at}`)
  await bob.sends(bob.room(alice))
  await alice.says(bob, 'last & least')
  const browser = await alice.newBrowser()
  await browser.reads(bob)
  const seen: ExportProgress[] = []
  const made = await exportAccount(
    browser.env,
    ownerOf(alice),
    options([listed(browser, bob)], (each) => seen.push(each)),
  )
  expect(made).toMatchObject({
    chats: 1,
    messages: 62,
    unreadable: 0,
    fileName: expect.stringMatching(/^conclave-alice-.*\.zip$/),
  })
  const files = await unpacked(made.archive)
  expect(Object.keys(files).sort()).toEqual([
    'account.json',
    'chats/001-bob.html',
    'chats/001-bob.json',
    'fonts.css',
    'index.html',
  ])
  const chat = JSON.parse(files['chats/001-bob.json'] ?? '')
  expect(chat.messages.map(({ text }: { text: string }) => text)).toEqual([
    'first <script>alert(1)</script>',
    ...Array.from({ length: 60 }, (_, at) => `line ${at}`),
    'last & least',
  ])
  expect(chat.messages[0]).toMatchObject({ from: 'me', isEncrypted: true })
  expect(chat.messages[1]).toMatchObject({ from: 'them' })
  const page = files['chats/001-bob.html'] ?? ''
  expect(page).toContain('last &amp; least')
  // The letters come along, once for all pages.
  expect(files['fonts.css']).toBe('@font-face{}')
  expect([page, files['index.html']].map((each) => /<link rel="stylesheet" href="([^"]+)">/.exec(each ?? '')?.[1])).toEqual([
    ...['../fonts.css', 'fonts.css'],
  ])
  for (const [name, html = ''] of Object.entries(files).filter(([name]) => name.endsWith('.html')))
    for (const [, href = ''] of html.matchAll(/<a href="([^"#:]+)"/g))
      expect(Object.keys(files), `${href} of ${name}`).toContain(new URL(href, `file:///${name}`).pathname.slice(1))
  expect(page).not.toContain('<script>alert')
  expect(files['index.html']).toContain('Alice &lt;b&gt;')
  expect(JSON.parse(files['account.json'] ?? '')).toMatchObject({ account: { username: 'alice' }, chats: [{ messages: 62 }] })
  expect(seen.at(-1)).toMatchObject({ chats: 1, messages: 62 })
})

test('whose account was deleted is in the export by the own name for them, or as what they are', async () => {
  const wire = createWire()
  const [alice, bob] = [await newPerson(wire), await newPerson(wire)]
  const room = listed(alice, bob)
  const gone = { isDeleted: true, displayName: 'deleted_400f00000000' }
  for (const [alias, name] of [
    ['Bobby from Geneva', 'Bobby from Geneva'],
    [null, 'Deleted account'],
  ] as const) {
    changePerson(bob.userId, { ...gone, alias })
    const files = await unpacked((await exportAccount(alice.env, ownerOf(alice), options([room]))).archive)
    expect(JSON.parse(files['chats/001-bob.json'] ?? '').with).toMatchObject({ username: 'bob', displayName: name })
  }
})

test('a file that went from browser to browser is named in the export, which says that no server has it', async () => {
  const wire = createWire()
  const [alice, bob] = [await newPerson(wire), await newPerson(wire)]
  const content = {
    ...{ type: 'transfer' as const, transferId: crypto.randomUUID(), name: 'scans.zip', mediaType: 'application/zip' },
    ...{ sizeBytes: 50_000_000, hash: toBase64(new Uint8Array(32)) },
  }
  const { chatRoomId } = alice.contact(bob)
  const sentAt = new Date().toISOString()
  await alice.core.keepInOutbox({ id: crypto.randomUUID(), chatRoomId, content, replyToId: null, sentAt })
  const { archive } = await exportAccount(alice.env, ownerOf(alice), options([listed(alice, bob)]))
  const files = await unpacked(archive)
  const reason = 'it went from browser to browser, and no server has it'
  expect(JSON.parse(files['chats/001-bob.json'] ?? '').messages).toMatchObject([
    { file: { name: 'scans.zip', path: null, reason } },
  ])
  expect(files['chats/001-bob.html']).toContain(`is not in this archive: ${reason}`)
})

test('what cannot be read, what was not encrypted and what was not sent is in the export and says so', async () => {
  const wire = createWire()
  const [alice, bob] = [await newPerson(wire), await newPerson(wire)]
  await bob.says(alice, 'sealed')
  await bob.env.api(messagesApi.send, { chatRoomId: alice.contact(bob).chatRoomId, content: 'bare words', messageType: 'text' })
  const room = wire.rooms.get(alice.contact(bob).chatRoomId)
  const sealed = room?.log.find((entry) => entry.kind === 'message')
  if (sealed?.kind === 'message') sealed.content = sealed.content.replace(/"body":"..../, '"body":"AAAA')
  await alice.core.keepInOutbox({
    id: crypto.randomUUID(),
    chatRoomId: alice.contact(bob).chatRoomId,
    content: { type: 'text', text: 'on its way', isForwarded: true },
    replyToId: null,
    sentAt: new Date().toISOString(),
  })
  const made = await exportAccount(alice.env, ownerOf(alice), options([listed(alice, bob)]))
  expect(made).toMatchObject({ messages: 3, unreadable: 1 })
  const files = await unpacked(made.archive)
  const { messages } = JSON.parse(files['chats/001-bob.json'] ?? '')
  expect(files['chats/001-bob.html']).toContain('forwarded, not sent')
  expect(messages).toMatchObject([
    { text: null, reason: expect.stringMatching(/./) },
    { text: 'bare words', isEncrypted: false },
    { text: 'on its way', reason: 'not sent', isForwarded: true },
  ])
})

test('what needs a newer page is in the export as it came, and says so', async () => {
  const wire = createWire()
  const [alice, bob] = [await newPerson(wire), await newPerson(wire)]
  await bob.says(alice, 'hello')
  await alice.reads(bob)
  const { seals, live } = await patchedClient(bob, alice)
  const { id, content } = await seals({ content: { type: 'poll', question: 'tea?' } as never })
  live.vault.close()
  const { chatRoomId } = alice.contact(bob)
  await bob.env.api(messagesApi.send, { id, chatRoomId, content, messageType: 'text' })
  const envelope = '{"v":2,"sealed":"AAAA"}'
  await bob.env.api(messagesApi.send, { chatRoomId, content: envelope, messageType: 'text' })
  const made = await exportAccount(alice.env, ownerOf(alice), options([listed(alice, bob)]))
  expect(made).toMatchObject({ messages: 3, unreadable: 2 })
  const files = await unpacked(made.archive)
  const reason = 'Needs a newer version of this page'
  const { messages } = JSON.parse(files['chats/001-bob.json'] ?? '')
  expect(messages.slice(1)).toMatchObject([
    { text: null, reason, raw: { statement: expect.stringContaining('"question":"tea?"') }, isEncrypted: true },
    { text: null, reason, raw: { envelope }, isEncrypted: true },
  ])
  expect(files['chats/001-bob.html']).toContain(`Not readable here: ${reason}`)
  expect(files['chats/001-bob.html']).not.toContain('AAAA')
})

test('files come along under their names, and one that cannot be had is named with the reason', async () => {
  const wire = createWire()
  const [alice, bob] = [await newPerson(wire), await newPerson(wire)]
  const stored = new Map<string, Blob>()
  const about = { caption: 'by the <sea>', text: 'sand and water' }
  await sendsFile(alice, bob, { name: 'beach.png', as: 'image', mediaType: 'image/png', ...about }, stored)
  await sendsFile(alice, bob, { name: 'run.html', mediaType: 'text/html', text: '<script>alert(1)</script>' }, stored)
  await sendsFile(alice, bob, { name: 'gone.pdf' })
  const { object } = await sendsFile(alice, bob, { name: 'changed.pdf' }, stored)
  stored.set(object, new Blob([new Uint8Array(4096)]))
  const asked = servesFiles(stored)
  await bob.reads(alice)
  const export_ = async (hasFiles: boolean) => {
    const made = await exportAccount(bob.env, ownerOf(bob), { ...options([listed(bob, alice)]), hasFiles })
    const files = await unpacked(made.archive)
    return { made, files, messages: JSON.parse(files['chats/001-bob.json'] ?? '').messages }
  }
  const { made, files, messages } = await export_(true)
  expect(made).toMatchObject({ messages: 4, files: 2, missingFiles: 2, unreadable: 0 })
  const [photo, page] = messages
  expect(files[`chats/${photo.file.path}`]).toBe('sand and water')
  expect(files[`chats/${page.file.path}`]).toBe('<script>alert(1)</script>')
  expect(messages).toMatchObject([
    {
      text: 'Photo',
      file: { name: 'beach.png', caption: 'by the <sea>', path: expect.stringMatching(/^001-bob\/\d+-beach.png$/) },
    },
    { file: { name: 'run.html', mediaType: 'text/html', sizeBytes: 25 } },
    { file: { name: 'gone.pdf', path: null, reason: expect.stringMatching(/./) } },
    { file: { name: 'changed.pdf', path: null, reason: expect.stringContaining('Part 1 of this file was changed') } },
  ])
  const html = files['chats/001-bob.html'] ?? ''
  expect(html).toContain(`<img src="${photo.file.path}"`)
  expect(html).toContain('by the &lt;sea&gt;')
  expect(html).toContain('gone.pdf</bdi> (0.1 KB) is not in this archive')
  expect(html).not.toContain(`href="${page.file.path}"`)
  expect(files['index.html']).toContain('2 files · 2 not in this archive')

  // Nothing of it stays in the browser, and without files none is asked for.
  expect(await bob.core.keptFiles()).toMatchObject({ rooms: [] })
  asked.length = 0
  const without = await export_(false)
  expect(asked).toEqual([])
  expect(without.made).toMatchObject({ messages: 4, files: 0, missingFiles: 0 })
  expect(without.messages[0].file).toMatchObject({ name: 'beach.png', path: null, reason: 'files were left out of this export' })
})

test('a file whose name another disk would not take has one there, and its ending', () => {
  expect(fileName('a/b\\..\\c: "d"?.pdf. ')).toBe('c_ _d__.pdf')
  expect(fileName('\u202Egnp.exe')).toBe('gnp.exe')
  expect(fileName('')).toBe('file')
  expect(fileName(`${'語'.repeat(200)}.txt`)).toMatch(/^語{40,50}\.txt$/)
})

test('the archive says when it is full instead of breaking at 4 GB', () => {
  const archive = openArchive()
  expect(archive.hasRoom(10 * 1024 * 1024)).toBe(true)
  expect(archive.hasRoom(4 * 1024 ** 3)).toBe(false)
})

test('an export that is given up stops and saves nothing', async () => {
  const wire = createWire()
  const [alice, bob] = [await newPerson(wire), await newPerson(wire)]
  await alice.says(bob, 'hello')
  const run = new AbortController()
  run.abort()
  const exporting = exportAccount(alice.env, ownerOf(alice), { ...options([listed(alice, bob)]), signal: run.signal })
  await expect(exporting).rejects.toMatchObject({ name: 'AbortError' })
})

test('a day is named once, above its first line', () => {
  const other = { username: 'bob', displayName: 'Bob', onionAddress: null }
  const line = (seq: number, at: string) => ({ seq, id: String(seq), at, from: 'them' as const, text: 'x', isEncrypted: true })
  const first = chatLines([line(1, '2026-01-02T10:00:00.000Z'), line(2, '2026-01-02T11:00:00.000Z')], other, '')
  expect(first.html.match(/<h2>/g)).toHaveLength(1)
  expect(chatLines([line(3, '2026-01-02T12:00:00.000Z')], other, first.lastDay).html).not.toContain('<h2>')
})

test('a username that the server made up leads to no other folder and names no device', () => {
  for (const name of ['../../.bashrc', '..\\..\\evil', '/etc/passwd', 'a/b', '\u202Egnp', 'x'.repeat(500), 'CON:', ''])
    expect(fileWord(name), name).toMatch(/^[a-z0-9_]{1,30}$/)
  expect(fileWord('Alice_1')).toBe('alice_1')
})
