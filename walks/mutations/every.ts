import { coins } from './coins.ts'
import { guards } from './guards.ts'
import { locks } from './locks.ts'
import { marks } from './marks.ts'
import { money } from './money.ts'
import { words } from './words.ts'

export const everyMutation = { guards, money, coins, marks, locks, words }
