import { Fragment } from 'react'
import { blocksOf, type TextBlock } from '../../ui/textBlocks.ts'
import type { Range } from '../../ui/textPieces.ts'
import { WordLine, type WordsProps } from './WordLine.tsx'

/** Words with quotes and lists among them. */
export function Blocks({ text, marks = [] }: WordsProps) {
  const lineOf = ({ from, to }: Pick<TextBlock, 'from' | 'to'>) => {
    const here = marks.flatMap(([first, last]): Range[] => (last > from && first < to ? [[first - from, last - from]] : []))
    return <WordLine text={text.slice(from, to)} marks={here} />
  }
  return blocksOf(text).map((block) => {
    const { kind, from, lines } = block
    if (kind === 'words') return <Fragment key={from}>{lineOf(block)}</Fragment>
    if (kind === 'quote')
      return (
        // biome-ignore lint/a11y/useSemanticElements: a paragraph holds no blockquote
        <span key={from} className="said-quote" role="blockquote">
          {lines.map((line, at) => (
            <Fragment key={line.from}>
              {at > 0 && '\n'}
              {lineOf(line)}
            </Fragment>
          ))}
        </span>
      )
    return (
      // biome-ignore lint/a11y/useSemanticElements: a paragraph holds no list
      <span key={from} className="said-list" role="list">
        {lines.map((line) => (
          // biome-ignore lint/a11y/useSemanticElements: a paragraph holds no list
          <span key={line.from} role="listitem">
            <span>{/\d/.test(line.sign) ? line.sign : '•'}</span>
            <span>{lineOf(line)}</span>
          </span>
        ))}
      </span>
    )
  })
}
