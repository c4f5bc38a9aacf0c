import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT } from './helpers/files.js';

const markdownIn = (folder: string) =>
  readdirSync(path.join(PROJECT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.posix.join(folder, name));

const DOCUMENTS = [...markdownIn('.'), ...markdownIn('docs')];

/** Hosts that a document may lead to. A new one is a decision: it has to be there for years. */
const HOSTS = ['cursor.com', 'github.com', 'insiders.vscode.dev', 'keepachangelog.com', 'semver.org'];

const readProject = (file: string) => readFileSync(path.join(PROJECT, file), 'utf8');

/** A document as it is read: without code, in which nothing is a link, and without comments. */
const prose = (markdown: string) =>
  markdown
    .replace(/^(```|~~~)[\s\S]*?^\1$/gm, '')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/(?<!`)(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, '');

/** Where a document leads: inline links and images, reference definitions, and the attributes of HTML. */
function linksOf(markdown: string): string[] {
  const forms = [
    /\]\(\s*<?([^)\s>]*)>?(?:\s+"[^"]*")?\s*\)/g,
    /^ {0,3}\[[^\]]+\]:\s*<?([^\s>]+)>?/gm,
    /\b(?:href|src|srcset)\s*=\s*["']([^"']*)["']/g,
    /<(https?:[^>\s]*)>/g,
  ];
  const text = prose(markdown);
  return forms.flatMap((form) => [...text.matchAll(form)].map(([, target = '']) => target));
}

/** The anchors of a document's headings as GitHub makes them: the second of a name gets "-1". */
function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set<string>();
  const seen = new Map<string, number>();
  // Code in a heading counts, code blocks do not: a line in them may begin with "#".
  const text = markdown.replace(/^(```|~~~)[\s\S]*?^\1$/gm, '');
  for (const [, heading = ''] of text.matchAll(/^#{1,6} +(.*?)(?: +#+)?$/gm)) {
    const words = heading.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1');
    const anchor = words
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-');
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    anchors.add(count === 0 ? anchor : `${anchor}-${count}`);
  }
  return anchors;
}

/** What is wrong with a link of a document, undefined where it leads somewhere. */
function problemOf(target: string, file: string, read: (file: string) => string | undefined): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) {
    const url = URL.canParse(target) ? new URL(target) : undefined;
    if (url === undefined) return 'is no URL';
    if (url.protocol !== 'https:') return 'is not https';
    return HOSTS.includes(url.hostname) ? undefined : `leads to ${url.hostname}, which is not on the list of hosts`;
  }
  const [name = '', anchor, ...rest] = target.split('#');
  if (target === '' || rest.length > 0 || !URL.canParse(target, 'https://example.org')) return 'is no relative link';
  const place = name === '' ? file : path.posix.join(path.posix.dirname(file), decodeURIComponent(name));
  if (name.startsWith('/') || place.startsWith('..')) return 'leads out of the project';
  const text = read(place);
  if (text === undefined) return `leads to ${place}, which is not there`;
  if (anchor === undefined) return undefined;
  return anchorsOf(text).has(decodeURIComponent(anchor)) ? undefined : `leads to a heading that ${place} has not`;
}

/** Text of a file of the project, empty for a folder. */
function projectText(file: string): string | undefined {
  const place = path.join(PROJECT, file);
  if (!existsSync(place)) return undefined;
  return file.endsWith('.md') ? readFileSync(place, 'utf8') : '';
}

describe('the links', () => {
  it.each(DOCUMENTS)('of %s lead somewhere', (file) => {
    const problems = linksOf(readProject(file)).flatMap((target) => {
      const problem = problemOf(target, file, projectText);
      return problem === undefined ? [] : [`${target} ${problem}`];
    });
    expect(problems).toEqual([]);
  });

  it('are looked for in every form, and not in code', () => {
    const text = [
      '[a](one.md) ![b](<two.svg> "title") [c][ref] [![d](three.svg)](four.md)',
      '[ref]: five.md',
      '<img src="six.svg"> <a href="seven.md">e</a> <https://github.com/eight>',
      '`[f](code.md)` ``[g](`code`.md)``',
      '```md\n[h](code.md)\n```',
      '<!-- [i](comment.md) -->',
    ].join('\n');
    expect(linksOf(text).sort()).toEqual(
      [
        'five.md',
        'four.md',
        'https://github.com/eight',
        'one.md',
        'seven.md',
        'six.svg',
        'three.svg',
        'two.svg',
      ].sort(),
    );
  });

  const FILES: Record<string, string> = {
    'README.md':
      '# Top\n## `MCP_X` for a file\n## Twice\n## Twice\n```\n# code\n```\n## A [link](docs/a.md), and more\n',
    'docs/a.md': '# Ä & ö\n',
  };

  it.each([
    ['docs/a.md', undefined],
    ['docs/a.md#ä--ö', undefined],
    ['docs/a.md#%C3%A4--%C3%B6', undefined],
    ['#top', undefined],
    ['#mcp_x-for-a-file', undefined],
    ['#twice-1', undefined],
    ['#a-link-and-more', undefined],
    ['https://github.com/deckflow/deckprobe', undefined],
    ['docs/b.md', 'leads to docs/b.md, which is not there'],
    ['Docs/a.md', 'leads to Docs/a.md, which is not there'],
    ['docs/a.md#top', 'leads to a heading that docs/a.md has not'],
    ['#twice-2', 'leads to a heading that README.md has not'],
    ['#code', 'leads to a heading that README.md has not'],
    ['', 'is no relative link'],
    ['../a.md', 'leads out of the project'],
    ['/docs/a.md', 'leads out of the project'],
    ['http://github.com/', 'is not https'],
    ['https://', 'is no URL'],
    ['https://example.org/', 'leads to example.org, which is not on the list of hosts'],
  ])('the check says of %j: %s', (target, problem) => {
    expect(problemOf(target, 'README.md', (file) => FILES[file])).toBe(problem);
  });
});

describe('the README', () => {
  const readme = readProject('README.md');

  it('can be read in a minute: at most 330 lines, and printed JSON of at most 15', () => {
    expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(330);
    const blocks = [...readme.matchAll(/^```json\n([\s\S]*?)\n```$/gm)].map(
      ([, block = '']) => block.split('\n').length,
    );
    expect(blocks.length).toBeGreaterThan(4);
    expect(Math.max(...blocks)).toBeLessThanOrEqual(15);
  });

  it('opens with a picture that loads nothing, shows in both colour schemes and says the same in words', () => {
    const [, words, file = ''] = /!\[([^\]]*)\]\((docs\/[^)]*\.svg)\)/.exec(readme) ?? [];
    expect(words).toMatch(
      /^A person asks: .* DeckProbe answers powerpoint\.slide_count 3, .* The reply: It has 3 slides/,
    );
    const svg = readProject(file);
    expect(svg).toContain(`<desc id="description">${words}</desc>`);
    expect(svg).toContain('prefers-color-scheme: dark');
    expect(svg).not.toMatch(/href|url\(|@import|<script|<image|<foreignObject|<!ENTITY/i);
    expect(svg.match(/https?:[^"]*/g)).toEqual(['http://www.w3.org/2000/svg']);
    expect(readme.indexOf(file)).toBeLessThan(readme.indexOf('## Install'));
  });
});
