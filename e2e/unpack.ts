import { browserPath } from './browser.ts'

/** Unpacks the browser that npm brings once a run: two test files that do it at once start one that is still being written. */
export async function setup(): Promise<void> {
  process.env['CHROMIUM_PATH'] = await browserPath()
}
