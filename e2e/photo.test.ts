import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { newCamera } from './camera.ts'
import { customerWithProfile, startChat, test } from './people.ts'
import { behind, looksFine } from './screen.ts'

/** One pixel, red and then blue, for ever. */
const ANIMATED = Buffer.from(
  '47494638396101000100800000ff00000000ff21ff0b4e45545343415045322e30030100000021f904000a000000' +
    '2c0000000001000100000202440100' +
    '21f904000a0000002c00000000010001000002024c0100' +
    '3b',
  'hex',
)

/** A photograph as a telephone takes it: half blue and half green, with the place in its EXIF. */
async function photograph(page: Page): Promise<Buffer> {
  const encoded = await page.evaluate(() => {
    const canvas = document.createElement('canvas')
    Object.assign(canvas, { width: 800, height: 600 })
    const context = canvas.getContext('2d')
    for (const [at, colour] of ['blue', 'green'].entries()) {
      if (context) context.fillStyle = colour
      context?.fillRect(at * 400, 0, 400, 600)
    }
    return canvas.toDataURL('image/jpeg').split(',')[1] ?? ''
  })
  const jpeg = Buffer.from(encoded, 'base64')
  const exif = Buffer.from('Exif\0\0GPSLatitude 52.5163 GPSLongitude 13.3777', 'latin1')
  const length = Buffer.from([0xff, 0xe1, 0, exif.length + 2])
  return Buffer.concat([jpeg.subarray(0, 2), length, exif, jpeg.subarray(2)])
}

/** The photo of the one contact, which the list shows: the bytes that the server sends, and the colours of its left and right. */
async function shownTo(page: Page) {
  await page.locator('a.row img').waitFor()
  return await page.evaluate(async () => {
    const [contact] = await (await fetch('/api/contacts')).json()
    const bytes = await (await fetch(contact.contactUser.profileImageUrl)).arrayBuffer()
    const picture = await createImageBitmap(new Blob([bytes]))
    const context = new OffscreenCanvas(picture.width, picture.height).getContext('2d')
    context?.drawImage(picture, 0, 0)
    const at = (x: number) =>
      [...(context?.getImageData(x, picture.height / 2, 1, 1).data ?? [])].slice(0, 3).map((part) => part > 90)
    const text = new TextDecoder('latin1').decode(bytes)
    return { text, width: picture.width, height: picture.height, left: at(2), right: at(picture.width - 3) }
  })
}
/** Wheel, mouse and two fingers move what is cut, and what they did can be taken back. */
async function byMouseAndFingers(page: Page, dialog: Locator): Promise<void> {
  const stage = dialog.getByRole('application')
  const zoom = async () => Number(await dialog.getByRole('slider', { name: 'Zoom' }).inputValue())
  /** Whether the middle of what is cut is the blue left of the photograph. */
  const isBlue = () =>
    stage.locator('canvas').evaluate((canvas: HTMLCanvasElement) => {
      const [, green = 0, blue = 0] = canvas.getContext('2d')?.getImageData(canvas.width / 2, canvas.height / 2, 1, 1).data ?? []
      return blue > green
    })
  const { x, y, width, height } = (await stage.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  const middle = { x: x + width / 2, y: y + height / 2 }
  await page.mouse.move(middle.x, middle.y)
  for (let n = 0; n < 5; n++) await page.mouse.wheel(0, -100)
  await expect.poll(zoom).toBeGreaterThan(1.5)
  for (const [by, blue] of [
    [100, true],
    [-200, false],
  ] as const) {
    await page.mouse.move(middle.x, middle.y)
    await page.mouse.down()
    await page.mouse.move(middle.x + by, middle.y, { steps: 4 })
    await page.mouse.up()
    await expect.poll(isBlue).toBe(blue)
  }
  const devtools = await page.context().newCDPSession(page)
  const touches = (type: 'touchStart' | 'touchMove' | 'touchEnd', apart: number) =>
    devtools.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: type === 'touchEnd' ? [] : [-apart, apart].map((by, id) => ({ x: middle.x + by, y: middle.y, id })),
    })
  const before = await zoom()
  await touches('touchStart', 20)
  for (const apart of [25, 30, 40]) await touches('touchMove', apart)
  await touches('touchEnd', 0)
  await expect.poll(zoom).toBeGreaterThan(before * 1.5)
  await page.mouse.move(middle.x, middle.y)
  for (let n = 0; n < 30; n++) await page.mouse.wheel(0, 100)
  await expect.poll(zoom).toBe(1)
  await devtools.detach()
}

const RED = [true, false, false]
const BLUE = [false, false, true]

test('Alice cuts a photograph by keys: Bob sees it at once, without the place where it was taken; offline it waits, and removed it is gone', async ({
  alice,
  bob,
}) => {
  await startChat(alice, bob)
  const { page } = alice
  await page.getByRole('button', { name: 'Profile Settings' }).click()
  const field = page.getByLabel('Photo file')
  await field.setInputFiles({ name: 'report.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('%PDF-1.7') })
  await page.getByRole('alert').filter({ hasText: '“report.jpg” is not a JPG, PNG or GIF picture' }).waitFor()
  await looksFine(page, 'profile with a refused photo')

  await field.setInputFiles({ name: 'me.jpg', mimeType: 'image/jpeg', buffer: await photograph(page) })
  const dialog = page.getByRole('dialog', { name: 'Your photo' })
  const stage = dialog.getByRole('application')
  await byMouseAndFingers(page, dialog)
  await stage.focus()
  for (const key of [...Array<string>(8).fill('+'), ...Array<string>(20).fill('ArrowRight')]) await page.keyboard.press(key)
  await looksFine(page, 'photo being cut')
  await dialog.getByRole('button', { name: 'Save photo' }).press('Enter')
  await dialog.waitFor({ state: 'detached' })

  const seen = await shownTo(bob.page)
  expect(seen).toMatchObject({ width: 320, height: 320, left: BLUE, right: BLUE })
  expect(seen.text).not.toMatch(/Exif|GPS|13\.3777/)
  await bob.page.locator('.head img').waitFor()
  await page.locator('.photo img').waitFor()

  // Offline what was chosen stays, also where the dialog is left.
  await field.setInputFiles({ name: 'wave.gif', mimeType: 'image/gif', buffer: ANIMATED })
  await alice.goesOffline()
  await dialog.getByRole('button', { name: 'Save photo' }).click()
  await dialog.getByRole('alert').filter({ hasText: 'The server cannot be reached' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('is not saved yet').waitFor()
  await alice.comesBack()
  await page.getByRole('button', { name: 'Go on' }).click()
  await dialog.getByRole('button', { name: /Save photo|Try again/ }).click()
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(async () => (await shownTo(bob.page)).left).toEqual(RED)
  expect(await shownTo(bob.page)).toMatchObject({ right: RED, text: expect.stringMatching(/^\xff\xd8\xff/) })

  // Whom she takes off her list loses sight of it, and sees it again when she adds them.
  await page.evaluate(async () => {
    const [contact] = await (await fetch('/api/contacts')).json()
    await fetch(`/api/contacts/${contact.id}`, { method: 'DELETE' })
  })
  await bob.page.locator('a.row img').waitFor({ state: 'detached' })
  await bob.page.locator('.head img').waitFor({ state: 'detached' })
  await page.evaluate(async (username) => {
    const headers = { 'content-type': 'application/json' }
    await fetch('/api/contacts', { method: 'POST', headers, body: JSON.stringify({ username }) })
  }, bob.username)
  await bob.page.locator('a.row img').waitFor()

  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await bob.page.locator('a.row img').waitFor({ state: 'detached' })
  await page.locator('.photo img').waitFor({ state: 'detached' })

  // What she types while her name is being saved stays.
  await behind(800, page, async () => {
    const name = page.getByLabel(/^Display name/)
    await name.press('End')
    await name.pressSequentially(' Ma')
    await name.press('Enter')
    await name.pressSequentially('rchetti')
    await page.getByText('Profile saved').first().waitFor()
    expect(await name.inputValue()).toBe('Alice Marchetti')
    expect(await name.evaluate((field) => field === document.activeElement)).toBe(true)
    await name.press('Enter')
    await bob.page.getByText('Alice Marchetti').first().waitFor()
  })
})

test('Dora takes her photo with the camera of her device, which is released with the dialog', async ({ server }) => {
  const dora = await customerWithProfile(server, 'Dora', { words: (await newCamera()).words, isFree: true })
  const { page } = dora
  await page.goto(`${server.url}/settings`)
  await page.getByRole('button', { name: 'Take photo' }).click()
  const taking = page.getByRole('dialog', { name: 'Take photo' })
  await taking.getByText('The camera is on').waitFor({ state: 'attached' })
  await looksFine(page, 'camera of the photo')
  const track = await taking
    .locator('video')
    .evaluateHandle((video: HTMLVideoElement) =>
      video.srcObject instanceof MediaStream ? video.srcObject.getVideoTracks()[0] : undefined,
    )
  await taking.getByRole('button', { name: 'Take photo' }).click()
  await page.getByRole('dialog', { name: 'Your photo' }).getByRole('button', { name: 'Save photo' }).click()
  await page.locator('.photo img').waitFor()
  expect(await track.evaluate((one) => one?.readyState)).toBe('ended')
  expect(dora.complaints).toEqual([])
  await dora.leaves()
})
