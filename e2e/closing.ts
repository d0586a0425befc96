import { afterAll } from 'vitest'
import { closeContexts } from './browser.ts'

// As a set-up of every file, because a module that two files share runs once.
afterAll(closeContexts)
