import { later } from '../../ui/later.tsx'
import { WordLine, type WordsProps } from './WordLine.tsx'

/** What begins a line of a quote or a list. */
const BEGINS = /^(?:> |(?:[-*•]|\d{1,3}[.)]) )/m

// No words wait for a part of the page that did not load.
const Blocks = later(async () => (await import('./Blocks.tsx').catch(() => undefined))?.Blocks ?? WordLine, WordLine)
export const preloadBlocks = Blocks.preload

export const Words = (props: WordsProps) => (BEGINS.test(props.text) ? <Blocks {...props} /> : <WordLine {...props} />)
