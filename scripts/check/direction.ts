import { parseSync } from '@swc/core'
import type { TrackedFile } from './tracked.ts'

/** Elements that a person types into. */
const FIELDS = ['input', 'textarea', 'Field', 'FieldForm']
/** Types of `input` that take no free text. */
const NO_TEXT = ['checkbox', 'radio', 'range', 'file', 'date', 'time', 'number', 'email', 'password']
/** Properties whose text a person has typed, whoever it was. */
const TYPED = ['displayName', 'alias', 'caption', 'deviceName']
/** Functions that answer such a text. */
const TYPED_BY = ['nameOf']

/** A node of swc's tree, as far as this file reads it. */
interface Node {
  type?: string
  [field: string]: unknown
}

/**
 * Finds free text that the browser would lay out from the left whatever its language is.
 *
 * A field (`input`, `textarea`, `Field`, `FieldForm`) has `dir="auto"`, unless its type takes no free text, it is read-only, it is written
 * verbatim (`{...VERBATIM}` or `autoCapitalize="none"`: a code, an address, a username), or its props come from whoever uses the
 * component. Of what is shown, an expression between tags that is `x.displayName`, `x.alias`, `x.caption`, `x.deviceName` or
 * `nameOf(x)` has an element around it with a `dir`, or `bdi`.
 */
export function findUndirectedText(files: TrackedFile[]): string[] {
  return files
    .filter(({ path }) => /^client\/.*[.]tsx$/.test(path) && !/[.]test[.]tsx$/.test(path))
    .flatMap(({ path, text }) => {
      const found: string[] = []
      visit(parseSync(text, { syntax: 'typescript', tsx: true }) as unknown as Node, false, (fault) => found.push(fault))
      return [...new Set(found)].map((fault) => `${path}: ${fault}`)
    })
}

/** Visits a node; `isDirected` is true if an element around it says a direction. */
function visit(node: unknown, isDirected: boolean, note: (fault: string) => void): void {
  if (Array.isArray(node)) {
    for (const each of node) visit(each, isDirected, note)
    return
  }
  if (!isNode(node)) return
  if (node.type !== 'JSXElement') {
    for (const field of Object.values(node)) visit(field, isDirected, note)
    return
  }
  const opening = node['opening'] as Node
  const tag = String((opening['name'] as Node)['value'] ?? '')
  const attributes = (opening['attributes'] as Node[]).map(attributeOf)
  const of = (name: string) => attributes.find((attribute) => attribute.name === name)
  if (FIELDS.includes(tag) && !isExempt(of) && !of('dir')) {
    note(`<${tag}${said(of('label') ?? of('aria-label') ?? of('placeholder'))}> takes free text and has no dir="auto"`)
  }
  const isInside = isDirected || of('dir') !== undefined || tag === 'bdi'
  for (const child of node['children'] as Node[]) {
    const shown = child.type === 'JSXExpressionContainer' && !isInside ? typedIn(child['expression']) : undefined
    if (shown) note(`{${shown}} is what a person typed: give an element around it dir="auto", or put it into <bdi>`)
    visit(child, isInside, note)
  }
  // An attribute may hold elements of its own, which stand elsewhere.
  visit(opening['attributes'], false, note)
}

interface Attribute {
  name: string
  value: string | undefined
}

function attributeOf(attribute: Node): Attribute {
  if (attribute.type === 'SpreadElement') return { name: `...${(attribute['arguments'] as Node)['value']}`, value: undefined }
  const value = attribute['value'] as Node | null
  return {
    name: String((attribute['name'] as Node)['value']),
    value: value?.type === 'StringLiteral' ? String(value['value']) : undefined,
  }
}

const said = (attribute: Attribute | undefined): string => (attribute?.value ? ` "${attribute.value}"` : '')

function isExempt(of: (name: string) => Attribute | undefined): boolean {
  const type = of('type')
  return (
    (type !== undefined && (type.value === undefined || NO_TEXT.includes(type.value))) ||
    of('readOnly') !== undefined ||
    of('autoCapitalize')?.value === 'none' ||
    ['...VERBATIM', '...field', '...input'].some((spread) => of(spread) !== undefined)
  )
}

/** What of an expression is a text that a person typed; elements and functions inside are looked at for themselves. */
function typedIn(node: unknown): string | undefined {
  if (!isNode(node)) return undefined
  const within = (...fields: string[]): string | undefined =>
    fields
      .flatMap((field) => node[field])
      .map(typedIn)
      .find((found) => found !== undefined)
  if (node.type === 'MemberExpression') {
    const property = String((node['property'] as Node)['value'])
    return TYPED.includes(property) ? `.${property}` : undefined
  }
  if (node.type === 'OptionalChainingExpression') return within('base')
  if (node.type === 'CallExpression') {
    const callee = String((node['callee'] as Node)['value'])
    return TYPED_BY.includes(callee) ? `${callee}()` : undefined
  }
  if (node.type === 'BinaryExpression') return node['operator'] === '&&' ? within('right') : within('left', 'right')
  if (node.type === 'ConditionalExpression') return within('consequent', 'alternate')
  if (node.type === 'ParenthesisExpression') return within('expression')
  if (node.type === 'TemplateLiteral') return within('expressions')
  return undefined
}

const isNode = (node: unknown): node is Node => typeof node === 'object' && node !== null
