import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { expect, onTestFinished } from 'vitest'
import { givesTone } from './microphone.ts'
import { anotherBrowser, talking as test } from './people.ts'
import type { Person } from './person.ts'
import { looksFine } from './screen.ts'
import { everyFile, everyRow, finds } from './tables.ts'

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

const NAME = 'secret-plan-of-alice.pdf'

interface Chosen {
  name: string
  mimeType: string
  buffer: Buffer
}

/** Chooses files as the person would; the dialog that shows them is open then. */
async function chooses({ page }: Person, ...files: Chosen[]): Promise<void> {
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Attach files' }).click()
  await page.getByRole('menuitem', { name: 'Choose files' }).click()
  await (await chooser).setFiles(files)
  await page.getByLabel('Caption').waitFor()
}
const sends = ({ page }: Person) => page.getByRole('button', { name: 'Send', exact: true }).last().click()

test('Alice sends Bob a document with a caption: he saves it under its name, as it was, and the server has no word of it', async ({
  server,
  alice,
  bob,
}) => {
  const pdf = Buffer.concat([
    Buffer.from('%PDF-1.7\nvery secret words of Alice\n'),
    Buffer.alloc(700_000, 'words of a document. '),
  ])
  await chooses(alice, { name: NAME, mimeType: 'application/pdf', buffer: pdf })
  await alice.page.getByLabel('Caption').fill('read this')
  await looksFine(alice.page, 'files before they are sent')
  await sends(alice)
  await alice.page.getByText(`${NAME} has been sent`, { exact: true }).waitFor()
  const fetched: string[] = []
  bob.page.on('request', (request) => request.url().includes('/objects/uploads/') && fetched.push(request.url()))
  const save = bob.page.getByRole('button', { name: `Save ${NAME}` })
  // The server does not learn that his pointer or the focus of his keyboard rests on it.
  await save.hover()
  await save.focus()
  await looksFine(bob.page, 'a document that is not saved yet')
  expect(fetched).toEqual([])
  const saving = bob.page.waitForEvent('download')
  await save.click()
  const saved = await saving
  expect(fetched).toHaveLength(1)
  expect(saved.suggestedFilename()).toBe(NAME)
  expect(sha256(await readFile(await saved.path()))).toBe(sha256(pdf))
  await bob.page.getByText('read this').waitFor()

  const places = { database: await everyRow(server.dataFolder), files: await everyFile(server.dataFolder), log: server.output() }
  expect(finds(places.database, bob.username)).toBe(true)
  for (const [place, text] of Object.entries(places))
    for (const word of [NAME, 'application/pdf', 'very secret words of Alice', 'words of a document. words', 'read this'])
      expect(finds(text, word), `${word} lies in the ${place}`).toBe(false)
})

test('What Alice chooses is sealed while she looks at it, and gone when she closes the dialog; nothing of it goes out', async ({
  alice,
}) => {
  const { page } = alice
  const sealed = (): Promise<number> =>
    page.evaluate(async () => {
      const sizes: number[] = []
      const folders = [await navigator.storage.getDirectory()]
      for (const folder of folders)
        for await (const entry of folder.values())
          if (entry instanceof FileSystemDirectoryHandle) folders.push(entry)
          else if (entry instanceof FileSystemFileHandle && folder.name === 'waiting') sizes.push((await entry.getFile()).size)
      return sizes.reduce((sum, size) => sum + size, 0)
    })
  const sent: string[] = []
  page.on('request', (request) => request.method() === 'PUT' && sent.push(request.url()))
  await chooses(alice, { name: 'looked-at.pdf', mimeType: 'application/pdf', buffer: Buffer.alloc(6_000_000, 'looked at ') })
  await expect.poll(sealed).toBeGreaterThan(6_000_000)
  await page.keyboard.press('Escape')
  await expect.poll(sealed).toBe(0)
  expect(sent).toEqual([])
})

test('Alice chooses a picture without a connection and loads the page anew once it is back: it comes once, and opens', async ({
  alice,
  bob,
}) => {
  await alice.goesOffline()
  const buffer = await readFile('client/public/icon-512.png')
  await chooses(alice, { name: 'holiday.png', mimeType: 'image/png', buffer })
  await sends(alice)
  await alice.page.getByText('It goes on when the connection is back.').waitFor()
  await alice.comesBack()
  await alice.page.reload()
  const pictures = (page: Person['page']) => page.getByRole('button', { name: 'Open holiday.png' })
  await pictures(bob.page).getByRole('img').waitFor()
  await alice.says('that was it')
  await bob.reads('that was it')
  expect(await pictures(bob.page).count()).toBe(1)
  expect(await pictures(alice.page).count()).toBe(1)
  await pictures(bob.page).click()
  const viewer = bob.page.getByRole('dialog', { name: 'holiday.png' })
  await viewer.getByRole('img').waitFor()
  await looksFine(bob.page, 'a picture in the viewer')
  await bob.page.keyboard.press('Escape')
  await viewer.waitFor({ state: 'detached' })
})

const PAGE = '<script>document.title = "it ran"</script>'
const page = (name: string): Chosen => ({ name, mimeType: 'text/html', buffer: Buffer.from(PAGE) })
const picture = async (name: string): Promise<Chosen> => ({
  ...{ name, mimeType: 'image/png' },
  buffer: await readFile(`client/public/${name.startsWith('small') ? 'icon-192' : 'icon-512'}.png`),
})

test('Bob looks through what Alice has shared, goes to the message of a picture, and clears what his browser keeps', async ({
  alice,
  bob,
}) => {
  await chooses(alice, await picture('beach.png'), page('page.html'))
  await alice.page.getByLabel('Caption').fill('by the sea')
  await sends(alice)
  await bob.page.getByRole('button', { name: 'Save page.html' }).waitFor()
  await alice.says('all of it is at https://pictures.example/2026')
  await bob.reads('pictures.example')
  await bob.page.getByRole('button', { name: alice.name, exact: true }).click()
  await bob.page.getByRole('button', { name: 'Shared files' }).click()
  const dialog = bob.page.getByRole('dialog', { name: 'Shared files' })
  await dialog.getByPlaceholder('Filter').fill('BEACH sea')
  await dialog.getByRole('tab', { name: 'Media 1' }).waitFor()
  await looksFine(bob.page, 'shared files')
  await dialog.getByPlaceholder('Filter').fill('')
  await dialog.getByRole('tab', { name: /^Files/ }).click()
  const saving = bob.page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Save page.html' }).click()
  expect((await saving).suggestedFilename()).toBe('page.html')
  await dialog.getByRole('tab', { name: /^Links/ }).click()
  expect(await dialog.getByRole('link', { name: /pictures.example/ }).getAttribute('href')).toBe('https://pictures.example/2026')
  await dialog.getByRole('tab', { name: /^Media/ }).click()
  // The newest of four lies in the grid’s first place, and arrows lead to the others.
  const cell = dialog.getByRole('button', { name: 'Open beach.png, Today' })
  await cell.locator('img:not(.blurred)').waitFor()
  await dialog.getByRole('tab', { name: /^Media/ }).focus()
  await bob.page.keyboard.press('Tab')
  for (let steps = 0; steps < 9 && !(await cell.evaluate((one) => one === document.activeElement)); steps++)
    await bob.page.keyboard.press('ArrowRight')
  await bob.page.keyboard.press('Enter')
  const viewer = bob.page.getByRole('dialog', { name: 'beach.png' })
  await viewer.getByRole('img').waitFor()
  await bob.page.keyboard.press('Escape')
  await expect.poll(() => cell.evaluate((one) => one === document.activeElement)).toBe(true)
  await bob.page.keyboard.press('Enter')
  await viewer.getByRole('button', { name: 'Show beach.png in chat' }).click()
  await bob.page.locator('.found').getByRole('button', { name: 'Open beach.png' }).waitFor()
  await expect.poll(() => bob.page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('group')

  const { origin } = new URL(bob.page.url())
  const chat = bob.page.url()
  await bob.page.goto(`${origin}/settings?tab=storage`)
  await bob.page.getByText('Photos', { exact: true }).waitFor()
  await looksFine(bob.page, 'storage')
  // Some browsers do not count what a page keeps: then there is no sum.
  await bob.page.getByText('Together', { exact: true }).waitFor()
  await bob.page.evaluate(() => Object.assign(navigator.storage, { estimate: async () => ({}) }))
  await bob.page.getByRole('button', { name: `Clear the files of ${alice.name}` }).click()
  await bob.page.getByText('No files are kept').waitFor()
  await bob.page.getByText('This browser does not say how much').waitFor()
  expect(await bob.page.getByText('Together', { exact: true }).count()).toBe(0)
  await looksFine(bob.page, 'storage, not counted')
  await bob.page.goto(chat)
  await bob.page.getByRole('button', { name: 'Open beach.png' }).getByRole('img', { name: 'beach.png' }).waitFor()

  // A private window of some browsers has no disk for files, and the page promises none.
  await bob.page.route('**/worker-*.js', async (route) => {
    const response = await route.fetch()
    const body = `navigator.storage.getDirectory = async () => { throw new DOMException('None', 'SecurityError') };${await response.text()}`
    await route.fulfill({ response, body })
  })
  await bob.page.goto(`${origin}/settings?tab=storage`)
  await bob.page.getByText('Those that you open or send are in memory until this page is closed.').waitFor()
  await bob.page.getByText('This browser keeps no files for Conclave').waitFor()
  await looksFine(bob.page, 'storage, without a disk')
  await bob.page.unroute('**/worker-*.js')
  await bob.page.goto(chat)
  await bob.page.getByRole('button', { name: 'Open beach.png' }).waitFor()
})

test('Eve changes, cuts and swaps a picture on its way: the bubble names it and why, a toast once, and a new attempt opens it', async ({
  alice,
  bob,
}) => {
  // A picture of before that is still on its way would be changed too.
  const pictures = bob.page.getByRole('button', { name: /^Open .*png$/ })
  await expect
    .poll(() => pictures.evaluateAll((all) => all.map((one) => one.querySelector('img:not(.blurred)') !== null)))
    .not.toContain(false)
  // What fails here leaves the later tests their pictures.
  onTestFinished(() => bob.page.unrouteAll({ behavior: 'wait' }))
  let lie: (bytes: Buffer) => Buffer = (bytes) => Buffer.from(bytes.map((byte, at) => (at === 5000 ? byte ^ 1 : byte)))
  await bob.page.route('**/objects/uploads/*', async (route) => {
    const answer = await route.fetch()
    const body = lie(await answer.body())
    await route.fulfill({ response: answer, body, headers: { ...answer.headers(), 'content-length': String(body.length) } })
  })
  await chooses(alice, await picture('boat.png'))
  // By itself it goes after five seconds.
  await Promise.all([bob.page.locator('.toast', { hasText: 'Image not available: boat.png' }).waitFor(), sends(alice)])
  const refused = bob.page.locator('.att-failed')
  await refused.getByText('Image not available: boat.png').waitFor()
  await refused.getByText(/Part 1 of this file was changed/).waitFor()
  lie = (bytes) => bytes.subarray(0, 4096)
  await refused.getByRole('button', { name: 'Try again' }).click()
  await refused.getByText(/cut short/).waitFor()
  lie = (bytes) => Buffer.from(bytes).reverse()
  await refused.getByRole('button', { name: 'Try again' }).click()
  await refused.getByText(/Part 1 of this file was changed/).waitFor()
  await bob.page.unrouteAll({ behavior: 'wait' })
  await refused.getByRole('button', { name: 'Try again' }).click()
  await bob.page.getByRole('button', { name: 'Open boat.png' }).getByRole('img', { name: 'boat.png' }).waitFor()
})

test('Keys, wheel and fingers lead through the pictures of a chat and bring one nearer', async ({ alice, bob }) => {
  const others = await Promise.all(Array.from({ length: 8 }, (_, at) => picture(`small ${at}.png`)))
  await chooses(alice, await picture('first.png'), await picture('small second.png'), ...others)
  await sends(alice)
  // What was sent in one act is one message.
  const album = bob.page.getByRole('group', { name: /^10 photos, / })
  const second = album.getByRole('button', { name: 'Open small second.png' })
  await bob.page.locator('a.row', { hasText: '10 photos' }).waitFor()
  await second.getByRole('img').waitFor()
  await second.click()
  const viewer = (name: string) => bob.page.getByRole('dialog', { name })
  // The pictures beside it are read from the vault behind it.
  await viewer('small second.png').getByRole('button', { name: 'Previous picture' }).waitFor()
  await bob.page.keyboard.press('ArrowLeft')
  await viewer('first.png').getByRole('img').waitFor()
  const scale = () =>
    bob.page.locator('.viewer-stage img').evaluate((img) => new DOMMatrix(getComputedStyle(img).transform).a.toFixed(2))
  await bob.page.keyboard.press('+')
  expect(await scale()).toBe('1.50')
  await bob.page.keyboard.press('0')
  expect(await scale()).toBe('1.00')
  await bob.page.locator('.viewer-stage').hover()
  await bob.page.mouse.wheel(0, -100)
  await expect.poll(scale).toBe('1.20')
  await bob.page.keyboard.press('0')
  await bob.page.locator('.viewer-stage').evaluate((stage) => {
    stage.setPointerCapture = () => undefined
    const finger = { bubbles: true, pointerId: 7, pointerType: 'touch', clientY: 200 }
    stage.dispatchEvent(new PointerEvent('pointerdown', { ...finger, clientX: 300 }))
    stage.dispatchEvent(new PointerEvent('pointermove', { ...finger, clientX: 150 }))
    stage.dispatchEvent(new PointerEvent('pointerup', { ...finger, clientX: 150 }))
  })
  await viewer('small second.png').waitFor()
  await bob.page.keyboard.press('Escape')
})

test('A voice message plays at the speed that was chosen before it was here, and Alice sees that Bob has listened', async ({
  alice,
  bob,
}) => {
  await givesTone(alice.page)
  await alice.page.getByRole('button', { name: 'Record a voice message' }).click()
  // On a slow machine its clock leaves seconds out.
  await alice.page.getByText(/^0:0[1-9]$/).waitFor()
  await alice.page.getByRole('button', { name: 'Send voice message' }).click()
  await bob.page.getByRole('button', { name: 'Speed 1' }).click()
  await bob.page.getByRole('button', { name: 'Speed 1.5' }).click()
  const rate = () => bob.page.locator('.att-voice audio').evaluate((audio: HTMLAudioElement) => audio.playbackRate)
  // What lasts a second plays on and on.
  await bob.page.locator('.att-voice audio').evaluate((audio: HTMLAudioElement) => {
    audio.loop = true
  })
  await bob.page.getByRole('button', { name: 'Play voice message' }).click()
  await bob.page.getByRole('button', { name: 'Pause voice message' }).waitFor()
  await expect.poll(rate).toBe(2)
  for (const { page } of [alice, bob]) await page.getByRole('img', { name: 'Listened to' }).waitFor()
  await alice.reloads()
  await alice.page.getByRole('img', { name: 'Listened to' }).waitFor()
})

test("Alice's third browser opens a picture that was sent before it was there; what could run is saved and does not", async ({
  server,
  alice,
  bob,
}) => {
  await chooses(bob, await picture('archived.png'), page('old page.html'))
  await sends(bob)
  await alice.page.getByRole('button', { name: 'Open archived.png' }).getByRole('img', { name: 'archived.png' }).waitFor()
  // The second of the two is her third.
  for (const browser of [await anotherBrowser(server, alice), await anotherBrowser(server, alice)]) {
    await browser.opens(bob)
    await browser.page.getByRole('button', { name: 'Open archived.png' }).getByRole('img', { name: 'archived.png' }).waitFor()
    const saving = browser.page.waitForEvent('download')
    await browser.page.getByRole('button', { name: 'Save old page.html' }).click()
    expect(await readFile(await (await saving).path(), 'utf8')).toBe(PAGE)
    expect(await browser.page.title()).not.toBe('it ran')
    await browser.leaves()
  }
})
