import { createHash, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { afterAll, afterEach, expect, onTestFinished, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { stepUpApi } from '../../../contract/account/stepup.ts'
import { chatLocksApi } from '../../../contract/chat/chatlocks.ts'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { filesApi, uploaderApi } from '../../../contract/chat/files.ts'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { writePackageRights } from '../../ground/db/planrights.ts'
import { creditPeriod } from '../../money/ledger/ledger.ts'
import { readConfig } from '../../settings/config.ts'
import type { Browser } from '../../testing/browser.ts'
import { startFakeS3 } from '../../testing/fakes3.ts'
import type { Person } from '../../testing/person.ts'
import { pictureBytes } from '../../testing/picture.ts'
import { fileOf, idOf, pathOf, puts, reads, removesFile, sealedBytes, uploadsFile } from '../../testing/sealed.ts'
import { startWorld } from '../../testing/world.ts'
import { openBucket } from './openBucket.ts'

const world = await startWorld()
const { settings, close } = await startFakeS3()
afterAll(close)
const inFolder = world.env.bucket
const buckets = [
  ['a folder', inFolder],
  ['S3', await openBucket(readConfig(settings), '')],
] as const

// Whatever a test has done: what is counted is what is stored.
afterEach(async () => {
  const wrong = await world.sql(
    `select u.id, coalesce(f.stored_bytes, 0) as counted, s.bytes from users u left join file_usage f on f.user_id = u.id
     join lateral (select coalesce(sum(size_bytes), 0) as bytes from objects o
       where o.owner_id = u.id and o.kind = 'file' and o.state <> 'dropped') s on true
     where u.deleted_at is null and coalesce(f.stored_bytes, 0) <> s.bytes`,
  )
  expect(wrong).toEqual([])
})

const begins = async (who: Browser) => (await who.does(uploaderApi.params, {})).url
const statusOf = async (who: Browser, path: string) => (await reads(world.url, who, path)).status
const isStored = async (path: string) => (await world.env.bucket.get(idOf(path)))?.destroy() !== undefined
const stateOf = async (path: string) => (await world.sql('select state from objects where id = $1', [idOf(path)]))[0]?.state
const sweeps = async (seconds = 60) => {
  world.passes(seconds)
  await world.jobs.runDue()
}

/** Uploads a file and sends it. Returns its path and bytes. */
async function sends(who: Person, chatRoomId: string, body = sealedBytes()) {
  const path = await uploadsFile(who, body)
  const message = await who.says(chatRoomId, 'a file', fileOf(path, body.length))
  return { path, body, message }
}

test.each(buckets)(
  'from %s a file reaches who is given its message, byte for byte and by ranges, and before that its sender alone',
  async (_, bucket) => {
    world.env.bucket = bucket
    onTestFinished(async () => {
      world.env.bucket = inFolder
      await world.sql("update objects set state = 'dropped'")
    })
    const { alice, bob, carol, eve } = await world.people()
    const room = await alice.talksTo(bob)
    await alice.talksTo(carol)
    const body = sealedBytes(300_000)
    const path = await uploadsFile(alice, body)
    expect(await Promise.all([alice, bob, carol, eve].map((who) => statusOf(who, path)))).toEqual([200, 404, 404, 404])
    const line = await bob.opensSocket()
    const sent = await alice.says(room, 'a file', { ...fileOf(path, body.length), messageType: 'image' })
    expect(sent).toMatchObject({ filePath: path, fileName: idOf(path), fileSize: body.length, messageType: 'image' })
    expect((await line.hears('message')).data).toMatchObject({ filePath: path, fileSize: body.length })
    line.hangsUp()
    expect(await Promise.all([alice, bob, carol, eve].map((who) => statusOf(who, path)))).toEqual([200, 200, 404, 404])
    const whole = await reads(world.url, bob, path)
    expect(whole.bytes.equals(body)).toBe(true)
    const etag = `"${createHash('sha256').update(body).digest('hex')}"`
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment',
      'content-length': String(body.length),
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
      etag,
    })
    const ranges: [string, number, number][] = [
      ['bytes=0-99', 0, 100],
      ['bytes=100000-', 100_000, body.length],
      ['bytes=-10', body.length - 10, body.length],
      ['bytes=5-999999999', 5, body.length],
    ]
    for (const [range, from, to] of ranges) {
      const part = await reads(world.url, bob, path, { range, 'if-range': etag })
      expect(part.status).toBe(206)
      expect(part.headers.get('content-range')).toBe(`bytes ${from}-${to - 1}/${body.length}`)
      expect(part.bytes.equals(body.subarray(from, to))).toBe(true)
    }
    expect((await reads(world.url, bob, path, { range: 'bytes=0-9', 'if-range': '"another"' })).bytes).toHaveLength(body.length)
    for (const range of [`bytes=${body.length}-`, 'bytes=-0']) {
      const behind = await reads(world.url, bob, path, { range })
      expect([behind.status, behind.headers.get('content-range')]).toEqual([416, `bytes */${body.length}`])
    }
    for (const range of ['bytes=9-5', 'bytes=0-1,4-5', 'pages=1-2', 'bytes=-'])
      expect(await reads(world.url, bob, path, { range })).toMatchObject({ status: 200 })
  },
)

test('a message is refused unless it names a finished file of its sender, by path, id and size, that no message carries', async () => {
  const { alice, bob, eve } = await world.people()
  const room = await alice.talksTo(bob)
  const eves = await eve.talksTo(bob)
  const body = sealedBytes()
  const path = await uploadsFile(alice, body)
  const right = fileOf(path, body.length)
  const awaited = pathOf(await begins(alice))
  const photo = (await alice.does(filesApi.upload, {})).uploadURL
  const picture = pictureBytes('png')
  expect(await puts(alice, photo, picture)).toMatchObject({ status: 200 })
  const wrong = [
    { ...right, fileSize: body.length - 1 },
    { ...right, fileSize: 0 },
    { ...right, fileSize: undefined },
    { ...right, filePath: undefined },
    { ...right, fileName: 'invoice.pdf' },
    { ...right, filePath: `${world.url}${path}` },
    { ...right, filePath: `${path}?x=1` },
    { ...right, filePath: `/objects/uploads/../uploads/${idOf(path)}` },
    { ...right, filePath: '/objects/uploads/../../etc/passwd' },
    { ...right, messageType: 'text' as const },
    fileOf(awaited, body.length),
    fileOf(pathOf(photo), picture.length),
    fileOf(`/objects/uploads/${randomUUID()}`, body.length),
  ]
  for (const each of wrong) expect(await alice.posts(room, 'x', each)).toBeRefused(400, 'file_not_found')
  expect(await eve.posts(eves, 'mine', right)).toBeRefused(400, 'file_not_found')
  expect(await stateOf(path)).toBe('stored')
  const sent = await alice.says(room, 'x', right)
  // The same message again is the same, another one is refused.
  expect(await alice.says(room, 'x', { ...right, id: sent.id })).toMatchObject({ seq: sent.seq })
  expect(await alice.posts(room, 'again', right)).toBeRefused(400, 'file_not_found')
  expect(await alice.posts(await alice.talksTo(eve), 'elsewhere', right)).toBeRefused(400, 'file_not_found')
  expect(await alice.does(messagesApi.list, { chatRoomId: room })).toHaveLength(1)
})

test('of two messages that name one file at the same time one carries it', async () => {
  const { alice, bob, carol } = await world.people()
  const rooms = [await alice.talksTo(bob), await alice.talksTo(carol)]
  const body = sealedBytes()
  const right = fileOf(await uploadsFile(alice, body), body.length)
  const answers = await Promise.all([...rooms, ...rooms].map((room) => alice.posts(room, 'x', right)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400])
})

test('Eve: foreign addresses, altered and expired signatures, other sizes and a second body are refused', async () => {
  const { alice, eve } = await world.people()
  const body = sealedBytes()
  const url = await begins(alice)
  expect(await puts(eve, url, body)).toBeRefused(404, 'not_found')
  expect(await puts(world.stranger(), url, body)).toBeRefused(401, 'not_signed_in')
  const other = idOf(await begins(alice))
  const altered = [
    pathOf(url),
    url.replace(/signature=.{4}/, 'signature=AAAA'),
    url.replace(/expires=(\d+)/, (_, at) => `expires=${Number(at) + 1}`),
    url.replace(idOf(url), other),
    `${url}&uploadId=${randomUUID()}&partNumber=1`,
    url.replace(/signature=.*/, 'signature='),
  ]
  for (const each of altered) expect(await puts(alice, each, body)).toBeRefused(400, 'invalid_signature')
  for (const path of ['/objects/uploads/../../etc/passwd', '/objects/uploads/..%2f..%2fetc%2fpasswd', '/objects/uploads/%00'])
    expect((await alice.request('GET', path)).status).toBeGreaterThanOrEqual(400)
  expect(await puts(alice, url, '')).toBeRefused(400, 'empty_upload')
  expect(await puts(alice, url, body.subarray(1))).toBeRefused(400, 'not_padded')
  expect(await puts(alice, url, Buffer.alloc(100))).toBeRefused(400, 'not_padded')
  expect(await puts(alice, url, Buffer.alloc(LIMITS.sealedFileBytes + 1))).toBeRefused(413, 'too_large')
  const sent = await puts(alice, url, body)
  expect([sent.status, sent.headers.get('etag')]).toEqual([200, `"${createHash('sha256').update(body).digest('hex')}"`])
  // An answer that was lost does no harm, and other bytes change nothing.
  expect(await puts(alice, url, body)).toMatchObject({ status: 200 })
  expect(await puts(alice, url, sealedBytes())).toBeRefused(409, 'already_uploaded')
  expect((await reads(world.url, alice, pathOf(url))).bytes.equals(body)).toBe(true)
  const late = await begins(alice)
  world.passes(LIMITS.uploadSeconds + 1)
  const expired = await puts(alice, late, body)
  expect(expired).toBeRefused(403, 'upload_expired')
  expect(expired.body).toMatchObject({ error: 'Request has expired' })
})

test('the largest sealed file is taken; what looks like a page or a picture is served as bytes', async () => {
  const { alice, bob } = await world.people()
  const room = await alice.talksTo(bob)
  const { path } = await sends(alice, room, sealedBytes(LIMITS.fileBytes + LIMITS.sealingBytes))
  expect((await reads(world.url, bob, path)).bytes).toHaveLength(LIMITS.sealedFileBytes)
  const tricks = [
    '<!doctype html><script>alert(1)</script>',
    '<svg xmlns="http://www.w3.org/2000/svg"/>',
    '\x89PNG\r\n\x1a\n',
    'GIF89a',
  ]
  for (const trick of tricks) {
    const { path: tricky } = await sends(alice, room, Buffer.alloc(4096, trick, 'latin1'))
    const { headers } = await reads(world.url, bob, tricky)
    expect(headers.get('content-type')).toBe('application/octet-stream')
    expect(headers.get('content-disposition')).toBe('attachment')
  }
})

test('without a plan that shares files no address is signed, and a plan that has ended binds no file', async () => {
  const { alice, bob } = await world.people()
  const room = await alice.talksTo(bob)
  const free = await world.person('free', 'free')
  const refused = await free.tries(uploaderApi.params, {})
  expect(refused).toBeRefused(403, 'subscription_required')
  expect(refused.body).toMatchObject({ error: 'Subscription required' })
  expect(await free.tries(uploaderApi.begin, {})).toBeRefused(403, 'subscription_required')
  const body = sealedBytes()
  const [path, address] = [await uploadsFile(alice, body), await begins(alice)]
  await world.sql("update users set subscription_tier = 'planted' where id = $1", [alice.id])
  await world.sql(
    "insert into plan_rights (plan, tier, version, can_send, can_call, can_share_files, has_family, messages_per_month, file_bytes, storage_bytes) values ('planted', 'premium', 99, true, true, false, false, -1, 0, 0) on conflict do nothing",
  )
  expect(await alice.posts(room, 'x', fileOf(path, body.length))).toBeRefused(403, 'subscription_required')
  expect(await puts(alice, address, body)).toBeRefused(403, 'subscription_required')
  expect(await stateOf(path)).toBe('stored')
  await alice.says(room, 'still a text')
})

test('a full account is refused by name and loses nothing, also when two tabs upload at once', async () => {
  const { alice, bob } = await world.people()
  const room = await alice.talksTo(bob)
  const body = sealedBytes(100_000)
  await world.sql(
    "insert into plan_rights (plan, tier, version, can_send, can_call, can_share_files, has_family, messages_per_month, file_bytes, storage_bytes) values ('small', 'premium', 99, true, true, true, false, -1, 10485760, $1) on conflict do nothing",
    [body.length * 2],
  )
  await world.sql("update users set subscription_tier = 'small' where id = $1", [alice.id])
  const { path } = await sends(alice, room, body)
  const tabs = await Promise.all([1, 2, 3].map(() => begins(alice)))
  const answers = await Promise.all(tabs.map((url) => puts(alice, url, sealedBytes(100_000))))
  expect(answers.map(({ status, code }) => `${status} ${code}`).sort()).toEqual([
    '200 undefined',
    ...Array<string>(2).fill('403 storage_limit_reached'),
  ])
  expect(answers.find(({ status }) => status === 403)?.body).toMatchObject({ error: 'Storage limit reached' })
  expect(await alice.tries(uploaderApi.params, {})).toBeRefused(403, 'storage_limit_reached')
  expect(await statusOf(bob, path)).toBe(200)
  // What is cancelled gives its space back, and the refused address takes its bytes then.
  const at = answers.findIndex(({ status }) => status === 200)
  expect(await removesFile(alice, tabs[at] ?? '')).toMatchObject({ status: 200 })
  expect(await puts(alice, tabs[(at + 1) % 3] ?? '', sealedBytes(100_000))).toMatchObject({ status: 200 })
})

test('a package gives the space that its row says, in gigabytes, and its owner reads what is full by name', async () => {
  const alice = await world.person('alice', 'free')
  const packageId = '5b0c1f52-6d0b-4c3e-9a6b-0f5a3c1d2e01'
  onTestFinished(async () => {
    await world.sql('update premium_packages set file_storage_gb = -1 where id = $1', [packageId])
    await writePackageRights(world.env.db)
  })
  await world.sql('update premium_packages set file_storage_gb = 1 where id = $1', [packageId])
  await writePackageRights(world.env.db)
  const period = { key: randomUUID(), userId: alice.id, source: 'coin', tier: 'premium', packageId } as const
  await world.env.db.transaction((tx) =>
    creditPeriod(tx, world.env.clock(), { ...period, billingPeriod: 'monthly', amountCents: 100_000 }),
  )
  const body = sealedBytes()
  const path = await uploadsFile(alice, body)
  const gigabyte = 2 ** 30
  await world.sql("update objects set state = 'used', size_bytes = $2 where id = $1", [idOf(path), gigabyte - body.length])
  await uploadsFile(alice, body)
  expect(await alice.tries(uploaderApi.params, {})).toBeRefused(403, 'storage_limit_reached')
  await world.sql('update objects set size_bytes = $2 where id = $1', [idOf(path), gigabyte - 2 * body.length])
  await uploadsFile(alice, body)
})

test('an upload that fails counts for nothing, and its address takes the bytes afterwards', async () => {
  const alice = await world.person('alice')
  const url = await begins(alice)
  const { put } = world.env.bucket
  world.env.bucket.put = () => Promise.reject(new Error('The disk is full'))
  expect((await puts(alice, url, sealedBytes())).status).toBe(500)
  world.env.bucket.put = put
  expect(await world.sql('select state, size_bytes from objects where id = $1', [idOf(url)])).toEqual([
    { state: 'awaited', size_bytes: null },
  ])
  expect(await puts(alice, url, sealedBytes())).toMatchObject({ status: 200 })
})

test('what a server was killed over gives its space back after two hours', async () => {
  const alice = await world.person('alice')
  const path = await uploadsFile(alice)
  await world.sql("update objects set state = 'arriving', hash = null where id = $1", [idOf(path)])
  await sweeps(LIMITS.uploadArrivesSeconds - 60)
  expect(await stateOf(path)).toBe('arriving')
  await sweeps(120)
  expect([await stateOf(path), await isStored(path)]).toEqual([undefined, false])
})

test('what a month’s messages carry is counted by bytes, from nothing each month', async () => {
  const { alice, bob } = await world.people()
  const room = await alice.talksTo(bob)
  const usage = async () => (await world.sql('select * from file_usage where user_id = $1', [alice.id]))[0]
  const { body } = await sends(alice, room)
  await uploadsFile(alice)
  expect(await usage()).toMatchObject({ stored_bytes: 2 * body.length, monthly_uploaded_bytes: body.length })
  await world.sql("update file_usage set uploaded_month = uploaded_month - interval '1 month'")
  await sends(alice, room)
  expect(await usage()).toMatchObject({ stored_bytes: 3 * body.length, monthly_uploaded_bytes: body.length })
})

test('a file whose message never comes goes after a day, and one that was sent stays', async () => {
  const { alice, bob } = await world.people()
  const { path: sent } = await sends(alice, await alice.talksTo(bob))
  const waiting = await uploadsFile(alice)
  await sweeps(LIMITS.uploadKeptSeconds - 60)
  expect([await isStored(sent), await isStored(waiting)]).toEqual([true, true])
  await sweeps(120)
  expect([await isStored(sent), await isStored(waiting)]).toEqual([true, false])
  expect(await stateOf(waiting)).toBeUndefined()
  await bob.proves(bob.deviceId)
  expect(await statusOf(bob, sent)).toBe(200)
})

test('twenty files wait at once; of more than a hundred the oldest go', async () => {
  const alice = await world.person('alice')
  const urls = await Promise.all(Array.from({ length: 20 }, () => begins(alice)))
  const answers = await Promise.all(urls.map((url) => puts(alice, url, sealedBytes())))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  world.passes(1)
  for (let at = 0; at < LIMITS.filesWaitingMax - 19; at++) await begins(alice)
  const states = await Promise.all(urls.map(stateOf))
  expect(states.filter((state) => state === 'dropped')).toHaveLength(1)
})

test('whoever clears a chat reads its files no more; when all have, the bytes go', async () => {
  const { alice, bob } = await world.people()
  const room = await alice.talksTo(bob)
  const [first, later] = [await sends(alice, room), await sends(bob, room)]
  const clears = async (who: Person) => await who.does(contactsApi.clearChat, { contactId: (await who.contacts())[0]?.id ?? '' })
  await clears(alice)
  expect([await statusOf(alice, first.path), await statusOf(alice, later.path)]).toEqual([404, 404])
  await sweeps(3700)
  expect((await reads(world.url, bob, first.path)).bytes.equals(first.body)).toBe(true)
  await clears(bob)
  await sweeps(3700)
  await sweeps()
  expect([await isStored(first.path), await isStored(later.path)]).toEqual([false, false])
  expect(await world.sql('select from objects where chat_room_id = $1', [room])).toEqual([])
})

test('files of a deleted account stay for who received them, until they clear the chat; all others go', async () => {
  const { alice, bob } = await world.people()
  const room = await alice.talksTo(bob)
  const [sent, own] = [await sends(alice, room), await sends(bob, room)]
  const waiting = await uploadsFile(alice)
  await alice.does(accountApi.remove, { password: alice.authSecret, kdf: 1 })
  await sweeps()
  expect([await isStored(waiting), await isStored(sent.path)]).toEqual([false, true])
  expect((await reads(world.url, bob, sent.path)).bytes.equals(sent.body)).toBe(true)
  expect(await world.sql('select from file_usage where user_id = $1', [alice.id])).toEqual([])
  await bob.does(contactsApi.clearChat, { contactId: (await bob.contacts())[0]?.id ?? '' })
  await sweeps(3700)
  await sweeps()
  expect([await isStored(sent.path), await isStored(own.path)]).toEqual([false, false])
})

test('when both have left, nothing of their files is left', async () => {
  const { alice, bob } = await world.people()
  const { path } = await sends(alice, await alice.talksTo(bob))
  for (const who of [alice, bob]) await who.does(accountApi.remove, { password: who.authSecret, kdf: 1 })
  await sweeps()
  await sweeps()
  expect([await isStored(path), await stateOf(path)]).toEqual([false, undefined])
})

test('what a blocked person sends is withheld with its file, and a locked chat keeps its files shut', async () => {
  const { alice, bob } = await world.people()
  const room = await alice.talksTo(bob)
  const contactId = (await bob.contacts())[0]?.id ?? ''
  await bob.does(contactsApi.block, { contactId })
  const { path: unheard } = await sends(alice, room)
  expect([await statusOf(alice, unheard), await statusOf(bob, unheard)]).toEqual([200, 404])
  await bob.does(contactsApi.unblock, { contactId })
  const { path } = await sends(alice, room)
  expect([await statusOf(bob, unheard), await statusOf(bob, path)]).toEqual([404, 200])
  await bob.does(stepUpApi.confirm, { password: bob.authSecret, kdf: 1 })
  await bob.does(chatLocksApi.set, { contactId, password: 'hunter22', confirmPassword: 'hunter22' })
  await bob.does(chatLocksApi.lock, { contactId })
  expect([await statusOf(bob, path), await statusOf(alice, path)]).toEqual([403, 200])
  await bob.does(chatLocksApi.verify, { contactId, password: 'hunter22' })
  expect(await statusOf(bob, path)).toBe(200)
})

test('each night a job proves that no bytes are without a row and no row is without bytes, and names what is', async () => {
  const { alice, bob } = await world.people()
  const { path } = await sends(alice, await alice.talksTo(bob))
  await uploadsFile(alice)
  await begins(alice)
  await sweeps(100_000)
  const outcome = async () => (await world.sql("select outcome from jobs where name = 'compared-files'"))[0]?.outcome
  expect(await outcome()).toBe('done')
  const bytes = await world.env.bucket.get(idOf(path))
  const stray = randomUUID()
  await world.env.bucket.put(stray, Readable.from([Buffer.from('stray')], { objectMode: false }), 5)
  await world.env.bucket.remove(idOf(path))
  await sweeps(100_000)
  expect(await outcome()).toBe('failed')
  expect(world.log()).toContain(`FilesDiffer: 1 without a row (${stray}), 1 without bytes (${idOf(path)})`)
  bytes?.destroy()
  expect(await stateOf(path)).toBe('used')
})
