import { afterAll, afterEach } from 'vitest'
import { closeContexts, expectNoneUncaught } from './browser.ts'

// As a set-up of every file, because a module that two files share runs once.
afterEach(expectNoneUncaught)
afterAll(closeContexts)
