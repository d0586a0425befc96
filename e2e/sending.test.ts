import { createHash, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'vitest'
import { givesTone } from './microphone.ts'
import { talkingAtOwnServer as test } from './people.ts'
import type { Person } from './person.ts'
import { type Chosen, gives, putsAway } from './screen.ts'

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
const MB = 1024 * 1024

const pdf = (name: string, sizeBytes: number): Chosen => ({ name, type: 'application/pdf', bytes: randomBytes(sizeBytes) })

const sends = ({ page }: Pick<Person, 'page'>) =>
  page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click()

/** Saves a file as the person would, and returns its SHA-256. */
async function saves({ page }: Person, name: string): Promise<string> {
  const saving = page.waitForEvent('download')
  await page
    .getByRole('button', { name: `Save ${name}` })
    .last()
    .click()
  return sha256(await readFile(await (await saving).path()))
}

/** Holds the uploads of a page back. Answers with how to let them go; each that was held breaks off. */
async function holdsUploads({ page }: Pick<Person, 'page'>): Promise<() => Promise<void>> {
  const held: (() => Promise<void>)[] = []
  await page.route(/\/objects\/uploads\//, (route) =>
    route.request().method() === 'PUT' ? void held.push(() => route.abort().catch(() => undefined)) : route.continue(),
  )
  return async () => {
    await page.unroute(/\/objects\/uploads\//)
    for (const end of held) await end()
  }
}

test('Alice drops a file before the page is whole and pastes nineteen: one is refused, one paused, the others come in their order; then these two', async ({
  alice,
  bob,
}) => {
  const [dropped, ...pasted] = Array.from({ length: 20 }, (_, at) => pdf(`many-${at}.pdf`, [60_000, 80_000][at - 18] ?? 30_000))
  if (!dropped) throw new Error('No file')
  let arrive = (): void => undefined
  const isThere = new Promise<void>((resolve) => {
    arrive = resolve
  })
  await alice.page.route('**/assets/Attach-*.js', async (route) => {
    await isThere
    await route.continue()
  })
  await alice.page.reload()
  await alice.page.getByLabel('Message', { exact: true }).waitFor()
  await gives(alice, 'drop', [dropped])
  arrive()
  await alice.page.getByRole('dialog', { name: 'Send a file' }).waitFor()
  await gives(alice, 'paste', pasted)
  await alice.page.getByRole('dialog', { name: 'Send 20 files' }).waitFor()
  let heldKey = ''
  await alice.page.route('**/s3/params*', async (route) => {
    const size = Number(new URL(route.request().url()).searchParams.get('size'))
    if (size > 70_000) return route.fulfill({ status: 403, json: FULL })
    const response = await route.fetch()
    if (size > 50_000) heldKey = (await response.json()).key
    return route.fulfill({ response })
  })
  await alice.page.route(/\/objects\/uploads\//, (route) =>
    heldKey && route.request().url().includes(heldKey) ? undefined : route.continue(),
  )
  await sends(alice)
  const strip = (words: string) => alice.page.locator('.att-upload', { hasText: words })
  await alice.page.getByText('Storage limit reached', { exact: true }).waitFor()
  await strip('Uploading, 0 %').last().getByRole('button', { name: 'Pause' }).press('Enter')
  await alice.page.getByText('18 files have been sent', { exact: true }).waitFor({ timeout: 90_000 })
  await alice.page.unrouteAll()
  await strip('Paused').getByRole('button', { name: 'Resume' }).press('Enter')
  await strip('Not sent. Storage limit reached.').getByRole('button', { name: 'Retry' }).press('Enter')
  await expect.poll(() => strip('').count(), { timeout: 60_000 }).toBe(0)
  await expect.poll(() => alice.page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY')

  await bob.page.getByRole('button', { name: alice.name, exact: true }).click()
  await bob.page.getByRole('button', { name: 'Shared files' }).click()
  await bob.page.getByPlaceholder('Filter').fill('many-')
  await bob.page.getByRole('tab', { name: 'Files 20' }).click()
  const names = await bob.page.locator('.shared-list bdi').allTextContents()
  expect(names.slice(2)).toEqual(
    [dropped, ...pasted]
      .map(({ name }) => name)
      .toReversed()
      .slice(2),
  )
  expect(names.slice(0, 2).sort()).toEqual(['many-18.pdf', 'many-19.pdf'])
  for (const { name, bytes } of [dropped, ...pasted.slice(-1)]) expect(await saves(bob, name)).toBe(sha256(bytes))
  await bob.page.keyboard.press('Escape')
}, 240_000)

/** What the server says to a file for which the plan has no space. */
const FULL = { error: 'Storage limit reached', code: 'storage_limit_reached' }

test('Alice gives a file up on its way: nothing of it is left; a table that an office program copied is pasted as its words', async ({
  alice,
}) => {
  const { page } = alice
  const go = await holdsUploads(alice)
  await gives(alice, 'drop', [pdf('unwanted.pdf', 30_000)])
  await sends(alice)
  await page.locator('.att-upload', { hasText: 'Uploading' }).getByRole('button', { name: 'Cancel' }).press('Enter')
  await page.locator('.bub', { hasText: 'unwanted.pdf' }).waitFor({ state: 'detached' })
  await page.waitForFunction(() => document.activeElement !== document.body)
  await go()

  await alice.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.evaluate(
    async (base64) => {
      const blob = (type: string, part: BlobPart) => ({ [type]: new Blob([part], { type }) })
      const picture = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
      const table = {
        ...blob('text/html', '<table><tr><td>one</td><td>two</td></tr></table>'),
        ...blob('text/plain', 'one\ttwo'),
      }
      await navigator.clipboard.write([new ClipboardItem({ ...table, ...blob('image/png', picture) })])
    },
    (await readFile('client/public/icon-192.png')).toString('base64'),
  )
  const field = page.getByLabel('Message', { exact: true })
  await field.press('ControlOrMeta+v')
  await expect.poll(() => field.inputValue()).toBe('one\ttwo')
  expect(await page.getByRole('dialog').count()).toBe(0)
  await field.fill('')
})

/** Drops a file of the disk in the middle of the page, by the hand of the browser, which tells the page of it only if the page stays. */
async function dropsOnPage({ page, context }: Person): Promise<void> {
  const browser = await context.newCDPSession(page)
  const { width, height } = page.viewportSize() ?? { width: 800, height: 600 }
  const data = { items: [], files: [path.resolve('client/public/icon-192.png')], dragOperationsMask: 1 }
  const told = await page.evaluateHandle(() => {
    const told = { ofDrop: false }
    const note = () => {
      told.ofDrop = true
    }
    addEventListener('drop', note, { capture: true, once: true })
    return told
  })
  // Where something else has come under the pointer since its last event, the browser takes this drop for a leaving.
  while (!(await told.evaluate(({ ofDrop }) => ofDrop)))
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await browser.send('Input.dispatchDragEvent', { type, x: width / 2, y: height / 2, data })
  await browser.detach()
}

test('A file that is dropped where no chat takes it is told of, and the page stays with what was typed', async ({ alice }) => {
  const { page } = alice
  const chat = page.url()
  const isRefused = () => putsAway(page, 'Not taken here', 'drop them on an open chat')
  const field = page.getByLabel('Message', { exact: true })
  await field.fill('half a sentence')
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('dialog').waitFor()
  await dropsOnPage(alice)
  await isRefused()
  await page.keyboard.press('Escape')
  expect(await field.inputValue()).toBe('half a sentence')
  await field.fill('')

  await page.getByRole('button', { name: 'Settings' }).first().click()
  const name = page.getByLabel(/^Display name/)
  await name.fill('Half a name')
  await dropsOnPage(alice)
  await isRefused()
  expect(await name.inputValue()).toBe('Half a name')
  // The code that tells it is still on its way.
  let arrive = () => undefined as unknown
  const arrived = new Promise((resolve) => {
    arrive = () => resolve(undefined)
  })
  await page.route(/\/Notices-[^/]*\.js$/, async (route) => {
    await arrived
    await route.continue()
  })
  await page.goto(new URL('/home', chat).href)
  await page.getByRole('button', { name: 'Add by Username/Onion' }).waitFor()
  await dropsOnPage(alice)
  arrive()
  await isRefused()
  expect(page.url()).toContain('/home')
  await page.goto(chat)
  await field.waitFor()
  await page.evaluate(() => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File(['x'], 'held.txt'))
    document.dispatchEvent(new DragEvent('dragover', { dataTransfer, bubbles: true, cancelable: true }))
  })
  const place = page.getByText('Drop files to send them')
  expect(await place.evaluate((shown) => getComputedStyle(shown).position)).toBe('fixed')
  await dropsOnPage(alice)
  const dialog = page.getByRole('dialog', { name: 'Send a file' })
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
})

test('A file is too large by one byte, another is empty: each is refused by name, and nothing is sent', async ({ alice }) => {
  await alice.page.evaluate(
    (sizeBytes) => {
      const dataTransfer = new DataTransfer()
      for (const [name, size] of [['large.pdf', sizeBytes] as const, ['nothing.pdf', 0] as const])
        dataTransfer.items.add(new File([new Uint8Array(size)], name, { type: 'application/pdf' }))
      document.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
    },
    10 * MB + 1,
  )
  await putsAway(alice.page, 'File Too Large', 'Please select a file smaller than 10MB')
  await putsAway(alice.page, '“nothing.pdf” has nothing in it')
  expect(await alice.page.getByRole('dialog').count()).toBe(0)
})

test('The tab that sends is closed in the middle: another tab goes on at once, and Bob has the file once', async ({
  alice,
  bob,
}) => {
  const file = pdf('two-tabs.pdf', 50_000)
  const other = await alice.context.newPage()
  await other.goto(alice.page.url())
  await other.getByRole('button', { name: 'Attach files' }).waitFor()
  await holdsUploads({ page: other })
  await gives({ page: other }, 'drop', [file])
  await sends({ page: other })
  await alice.page.getByText('Waiting. Another tab sends it.').waitFor()
  await other.close()
  // It is said for five seconds only.
  await alice.page.getByText('two-tabs.pdf has been sent', { exact: true }).waitFor()
  expect(await saves(bob, 'two-tabs.pdf')).toBe(sha256(file.bytes))
  expect(await bob.page.getByRole('button', { name: 'Save two-tabs.pdf' }).count()).toBe(1)
})

test('The server is killed in the middle of a video of 9.9 MB: it goes on when the server is back, comes once and plays', async ({
  server,
  alice,
  bob,
}) => {
  const video = await madeVideo(alice.page, Math.floor(9.9 * MB))
  const go = await holdsUploads(alice)
  await gives(alice, 'drop', [video])
  await sends(alice)
  await alice.page.getByText(/^Uploading/).waitFor()
  await server.kill9()
  await go()
  await alice.page.getByText(/^Waiting\. It goes on/).waitFor()
  await server.start()
  await bob.page.getByRole('button', { name: /^Play/ }).last().click()
  await bob.page.waitForFunction(() => (document.querySelector('video')?.readyState ?? 0) >= 2)
  // It opens only with the SHA-256 that Alice has stated.
  expect(await bob.page.locator('video').count()).toBe(1)
})

/** A film of a second, with an empty element of WebM behind it up to that size. */
async function madeVideo(page: Person['page'], sizeBytes: number): Promise<Chosen> {
  const base64 = await page.evaluate(async () => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 320, height: 180 })
    const pen = canvas.getContext('2d')
    const record = async () => {
      const recorder = new MediaRecorder(canvas.captureStream(10), { mimeType: 'video/webm' })
      const parts: Blob[] = []
      recorder.ondataavailable = ({ data }) => void parts.push(data)
      recorder.start()
      let frame = 0
      const paint = setInterval(() => {
        frame += 1
        if (pen) pen.fillStyle = `hsl(${frame * 30} 80% 50%)`
        pen?.fillRect(0, 0, 320, 180)
        if (frame === 8) recorder.stop()
      }, 100)
      await new Promise((resolve) => recorder.addEventListener('stop', resolve))
      clearInterval(paint)
      return new Blob(parts)
    }
    const plays = (film: Blob) =>
      new Promise<boolean>((resolve) => {
        const video = document.createElement('video')
        video.onloadeddata = () => resolve(true)
        video.onerror = () => resolve(false)
        video.src = URL.createObjectURL(film)
      })
    // On a slow machine the recorder may see no frame.
    let made = await record()
    while (!(await plays(made))) made = await record()
    const reader = new FileReader()
    reader.readAsDataURL(made)
    await new Promise((resolve) => reader.addEventListener('load', resolve))
    return String(reader.result).split(',')[1] ?? ''
  })
  const film = Buffer.from(base64, 'base64')
  const empty = sizeBytes - film.length
  // RFC 9559 section 4.4: Void, with its length in eight bytes.
  const head = Buffer.from([0xec, 0x01, 0, 0, 0, 0, 0, 0, 0])
  head.writeUInt32BE(empty - head.length, 5)
  return { name: 'film.webm', type: 'video/webm', bytes: Buffer.concat([film, head, Buffer.alloc(empty - head.length)]) }
}

test('Alice holds the microphone and lets go: Bob hears it; slid away or by Escape nothing is sent, and a tap goes on recording', async ({
  alice,
  bob,
}) => {
  const { page } = alice
  await givesTone(page)
  const microphone = page.getByRole('button', { name: 'Record a voice message' })
  const strip = page.getByRole('group', { name: 'Voice message' })
  const presses = async () => {
    await microphone.hover()
    await page.mouse.down()
    // On a slow machine its clock leaves seconds out.
    await strip.getByText(/^0:0[1-9]$/).waitFor()
  }
  await presses()
  await page.mouse.move(900, 200)
  await strip.getByText('Let go to throw it away').waitFor()
  await page.mouse.up()
  await microphone.waitFor()
  await presses()
  await page.keyboard.press('Escape')
  await microphone.waitFor()
  await page.mouse.up()
  await presses()
  await page.mouse.up()
  await page.getByText('Voice message has been sent', { exact: true }).waitFor()
  // What lasts a second plays on and on.
  await bob.page.locator('.att-voice audio').evaluate((audio: HTMLAudioElement) => {
    audio.loop = true
  })
  await bob.page.getByRole('button', { name: 'Play voice message' }).click()
  await bob.page.getByRole('button', { name: 'Pause voice message' }).waitFor()
  expect(
    await bob.page
      .getByRole('button', { name: /voice message$/ })
      .filter({ hasNotText: 'x' })
      .count(),
  ).toBeGreaterThan(0)

  await microphone.click()
  await strip.getByText(/^0:0[1-9]$/).waitFor()
  await page.getByRole('button', { name: 'Pause and listen' }).click()
  await page.getByRole('button', { name: 'Throw away' }).click()
  await microphone.waitFor()
})
