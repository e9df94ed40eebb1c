module.exports = { preset: 'monotable/jest', rootDir: __dirname, maxWorkers: 2 };
