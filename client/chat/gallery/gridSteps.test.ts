import { expect, test } from 'vitest'
import { stepInGrid } from './gridSteps.ts'

// 0 1 2 / 3 4, then another month: 5 6 7 / 8
const counts = [5, 4]

test.each([
  [0, 'ArrowRight', 1],
  [2, 'ArrowRight', 3],
  [4, 'ArrowRight', 5],
  [8, 'ArrowRight', undefined],
  [0, 'ArrowLeft', undefined],
  [5, 'ArrowLeft', 4],
  [1, 'ArrowDown', 4],
  [2, 'ArrowDown', 4],
  [4, 'ArrowDown', 6],
  [7, 'ArrowDown', 8],
  [8, 'ArrowDown', undefined],
  [8, 'ArrowUp', 5],
  [7, 'ArrowUp', 4],
  [1, 'ArrowUp', undefined],
  [4, 'Home', 0],
  [4, 'End', 8],
  [4, 'Enter', undefined],
])('From cell %i, %s leads to %s', (index, key, next) => expect(stepInGrid(counts, index, key)).toBe(next))
