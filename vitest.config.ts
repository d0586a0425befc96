import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { defineConfig } from 'vitest/config'
import { sortTests } from './scripts/kinds.ts'

const root = import.meta.dirname
const FOLDERS = ['bench', 'contract', 'client', 'server', 'scripts', 'faults', 'walks']
const { pure, alone, served } = sortTests(
  root,
  FOLDERS.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => path.join(folder, file)),
  ),
)

const patient = {
  // What takes a second alone takes fifteen where others fill the cores and the disk.
  testTimeout: 60_000,
  expect: { poll: { timeout: 15_000 } },
  hookTimeout: 60_000,
  // Set-up files in their order: what the first one forgets, the others load.
  sequence: { groupOrder: 0, setupFiles: 'list' as const },
}

// Its own file: with Vite's root in client/ no test outside would be found.
export default defineConfig({
  test: {
    // Two even where vitest would leave one of two cores to itself.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      {
        test: {
          ...patient,
          name: 'pure',
          include: pure,
          globalSetup: ['server/testing/run.ts'],
          setupFiles: [
            'client/testing/forget.ts',
            'client/testing/leftovers.ts',
            'server/testing/refused.ts',
            'client/testing/argon2.ts',
            'client/testing/verified.ts',
          ],
          // To load what npm brings took a third of their time.
          isolate: false,
        },
      },
      {
        test: {
          ...patient,
          name: 'alone',
          include: alone,
          globalSetup: ['server/testing/run.ts'],
          setupFiles: ['server/testing/refused.ts', 'client/testing/argon2.ts', 'client/testing/verified.ts'],
        },
      },
      {
        test: {
          ...patient,
          name: 'served',
          include: served,
          globalSetup: ['server/testing/cluster.ts'],
          setupFiles: [
            'walks/forget.ts',
            'client/testing/leftovers.ts',
            'server/testing/refused.ts',
            'client/testing/argon2.ts',
            'client/testing/verified.ts',
          ],
          // What the server knows stands in the environment that each world makes.
          isolate: false,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          exclude: [
            // `npm run test:calls`: minutes, and networks that only root makes.
            ...(process.env['CALL_WALKS']
              ? []
              : ['e2e/callnetworks.test.ts', 'e2e/callstorm.test.ts', 'e2e/transfernetworks.test.ts']),
            // `npm run pictures` writes them.
            ...(process.env['PICTURES'] ? [] : ['e2e/pictures.test.ts']),
            // `npm run test:webkit`: not shown to be steady yet.
            ...(process.env['WEBKIT_WALKS'] ? [] : ['e2e/webkit.test.ts']),
            // `npm run test:onion`: minutes.
            ...(process.env['ONION_WALKS'] ? [] : ['e2e/oniontrouble.test.ts']),
          ],
          globalSetup: ['server/testing/run.ts', 'e2e/unpack.ts'],
          setupFiles: ['client/testing/argon2.ts', 'client/testing/verified.ts', 'e2e/closing.ts'],
          // Files share their Chromium and its server (`e2e/people.ts`).
          isolate: false,
          // Each waits half of its time.
          maxWorkers: 2,
          // Each wait in a test ends by itself: this ends what waits for nothing.
          testTimeout: 600_000,
          // As long as a page is waited for.
          expect: { poll: { timeout: 45_000 } },
          hookTimeout: 600_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
