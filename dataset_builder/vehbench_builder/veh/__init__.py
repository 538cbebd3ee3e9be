"""Building the tasks of the vibration energy harvester domain, one folder or module a probe."""
