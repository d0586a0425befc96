import { afterAll, afterEach } from 'vitest'
import { closeContexts, expectNoneUncaught, tellPages } from './browser.ts'

// As a set-up of every file, because a module that two files share runs once.
afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') await tellPages()
})
afterEach(expectNoneUncaught)
afterAll(closeContexts)
